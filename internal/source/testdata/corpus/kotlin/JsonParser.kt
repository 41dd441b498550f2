package com.example.json

import java.io.Reader
import java.nio.charset.*
import java.util.ArrayDeque as Stack

/**
 * A value of JSON.
 *
 * Returns: this is the text of a class, not of a function.
 */
sealed class Json {
    abstract fun render(indent: Int = 0, newline: String = "\n"): String

    data class Text(val value: String) : Json() {
        override fun render(indent: Int, newline: String) = "\"$value\""
    }

    data class Array(val items: List<Json>, private val sep: (Int) -> String = { i -> if (i > 0) ", (" else ")" }) : Json() {
        override fun render(indent: Int, newline: String): String =
            items.withIndex().joinToString("") { (i, item) -> sep(i) + item.render(indent + 1) }
    }

    object Null : Json() {
        override fun render(indent: Int, newline: String): String { return "null" }
        private fun nothing() = 0
    }
}

enum class ParserPhase { START, IN_TEXT, END; }

annotation class Lenient(val why: String = "fun why() {", vararg val codes: Int = [1, 2])

/** Reads `fun notReal()` and so on. */
class JsonParser private constructor(private val source: Reader, @Suppress("unused") private val charset: Charset) {
    internal constructor(text: String) : this(text.reader(), Charsets.UTF_8)

    private val open = Stack<Char>()
    private var phase = ParserPhase.START

    /**
     * Reads a text.
     *
     * @param quote the quote,
     *   mostly "
     * @return the text between
     *   the quotes
     * @exception CharacterCodingException if it is no UTF-8.
     */
    @Lenient("because", 1, 2)
    @Throws(CharacterCodingException::class)
    fun text(quote: Char = '"', escape: Map<Char, String> = mapOf('n' to "\n", '}' to "}")): Json.Text {
        if (this.phase != ParserPhase.START) {
            throw IllegalStateException("phase: ${if (phase == ParserPhase.END) "}" else "{"}") // one } more
        }
        if (escape.any { (c, s) -> c < ' ' }) throw IllegalArgumentException(/* ) */ "escape")
        this.phase = ParserPhase.IN_TEXT
        return Json.Text(generateSequence { source.read().toChar() }.takeWhile { it != quote }.joinToString(""))
    }

    /** @throws IllegalStateException if it is new. */
    fun reset(hard: Boolean) {
        if (hard == open.isEmpty()) throw IllegalStateException("hard") else open.clear()
        if (this.phase == ParserPhase.START) throw IllegalStateException("new")
        this.phase = ParserPhase.START
    }

    fun finish() {
        fun check(text: String) { if (text.isEmpty()) throw IllegalStateException() }
        check("""fun raw(a: Int) = "${'$'}{" """)
        when (val now = this.phase) {
            ParserPhase.IN_TEXT -> this.phase = ParserPhase.END
            ParserPhase.START -> throw IllegalStateException("$now -> { }")
            ParserPhase.END -> Unit
        }
    }

    internal companion object {
        const val VERSION = "1"
        fun default() = JsonParser("")
    }
}
