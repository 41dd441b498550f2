@file:JvmMultifileClass
@file:JvmName("Strings")

package com.example.text

import java.io.Closeable
import java.util.Locale
import kotlin.contracts.*
import kotlin.reflect.KProperty

private const val SOURCE = """
    package com.example.fake
    import com.example.Nothing
    fun String.fake(): Int { return "${"}"}".length }
"""

/** Nothing is here: `val Ghost = 1`. */
typealias Predicate<T> = (T) -> Boolean

internal typealias Table = Map<String, String>

val VOWELS = setOf('a', 'e', 'i', 'o', 'u')
var locale: Locale = Locale.ROOT
    private set

/**
 * Cuts a text.
 *
 * @receiver the text
 * @param length at most
 * @return the start of
 *   the text
 * @sample shorten
 */
fun String.shorten(length: Int, mark: String = "... (\"${SOURCE.length}\")"): String {
    require(length >= mark.length) { "length (${length}) < ${mark.length}" }
    val cut = length - mark.length
    if (this.length <= length) return this
    if (cut == 0) throw IllegalArgumentException("cut")
    return take(cut) + mark
}

infix fun <A, B : Comparable<B>> Iterable<A>.sortedOn(key: (A) -> B) where A : Any = sortedBy { a -> key(a) }

fun CharSequence?.orDash() = if (this.isNullOrBlank()) "-" else this

@OptIn(ExperimentalContracts::class)
inline fun <T : Closeable?, R> T.useAll(vararg others: Closeable, block: (T) -> R): R {
    contract { callsInPlace(block, InvocationKind.EXACTLY_ONCE) }
    if (others.isEmpty()) throw IllegalArgumentException("others")
    return try { block(this) } finally { others.forEach { it.close() } }
}

operator fun String.times(count: Int): String {
    if (count < 0) throw IllegalArgumentException("count: $count"); return repeat(count)
}

@PublishedApi
internal fun secret(): Int = 0

@Deprecated("use shorten(3)", ReplaceWith("shorten(3)", "com.example.text.shorten"))
fun String.initials(): String = split(' ').joinToString("") { word -> word.take(1) }

external fun hash(bytes: ByteArray, seed: Long = 0x7FFF_FFFFL, vararg more: Pair<String, (Int) -> Unit>): Long

object Slug : Closeable, (String) -> String {
    private val cache = mutableMapOf<String, String>()
    override fun invoke(text: String): String = cache.getOrPut(text) { text.lowercase() }
    override fun close() = cache.clear()
    operator fun getValue(owner: Any?, property: KProperty<*>): String = invoke(property.name)
    @JvmStatic fun odd(): Nothing = TODO("fun odd() {")
    private object Deep { fun unseen() = 1 }
}

interface Speller {
    val words: Table.() -> Int get() = { this.size }
    suspend fun spell(word: String, into: suspend (letters: List<Char>) -> Unit = { _ -> })
    class Latin(override val words: Map<String, String>.() -> Int) : Speller {
        override suspend fun spell(word: String, into: suspend (letters: List<Char>) -> Unit) { into(word.toList()) }
    }
}
