@file:Suppress("NOTHING_TO_INLINE")

package com.example.payments

import java.math.BigDecimal
import java.util.Currency as Tender
import kotlin.math.absoluteValue

/** 통화: a sum is `data class Fake(val x: Int)` never. */
@JvmInline
value class Cents(val raw: Long) : Comparable<Cents> {
    init {
        require(raw < 1_000_000_000_000) { "too much: $raw" }
    }

    override fun compareTo(other: Cents): Int = raw.compareTo(other.raw)
    operator fun unaryMinus() = Cents(-raw)
    infix fun percent(rate: Double) = Cents((raw * rate / 100).toLong())
}

data class Money(val cents: Cents, val tender: Tender = Tender.getInstance("EUR"), private val note: (String?) -> String = { it ?: "none, (yet)" }) {

    /**
     * Adds.
     *
     * Requires: both are of
     * the same currency.
     * Ensures: neither is changed
     *
     * @throws ArithmeticException on overflow
     */
    operator fun plus(other: Money): Money {
        require(tender == other.tender) { "mixed: $tender and ${other.tender.let { t -> "'$t' {" }}" }
        val sum = Math.addExact(cents.raw, other.cents.raw)
        if (other.cents.raw < 0)
            throw IllegalArgumentException("negative: ${other.cents}")
        return copy(cents = Cents(sum))
    }

    inline fun <reified R : Number> convert(scale: Int?, crossinline f: (Long) -> R, noinline log: ((R) -> Unit)? = null): R {
        checkNotNull(log)
        requireNotNull(scale) { "scale (the number)" }
        return f(cents.raw * scale).also { log(it) }
    }

    operator fun component4() = tender.symbol

    companion object {
        @JvmField val ZERO = Money(Cents(0))
        const val SCALE: Int = 2
        private const val HIDDEN = "const val FAKE = 1"

        @JvmStatic
        fun parse(text: String, vararg signs: Char = charArrayOf('+', '-', '"', '}')): Money {
            if (text.isBlank()) throw NumberFormatException("blank")
            if (text.length > 20 && signs.isEmpty()) {
                throw NumberFormatException("if (text) throw")
            }
            val digits = text.filter { c -> c.isDigit() }
            if (digits.isEmpty()) return ZERO
            if (text.first() !in signs) throw NumberFormatException(text)
            return of(BigDecimal(digits))
        }

        internal fun of(value: BigDecimal) = Money(Cents(value.movePointRight(SCALE).toLong()))
    }
}

typealias Rates<K> = Map<K, suspend (from: Money, to: Tender) -> Map<String, List<Money>>>

fun Iterable<Money>.total(): Money = fold(Money.ZERO) { a, b -> a + b }

inline fun <T, reified M : Money?> Collection<T>.sumMoney(noinline pick: T.(index: Int) -> M = { null as M }): Cents
    where T : Any, T : Comparable<T> {
    val first = firstOrNull() ?: throw NoSuchElementException("empty")
    if (this.size > 1_000 || first is CharSequence) throw UnsupportedOperationException()
    return mapIndexed { i, x -> x.pick(i)?.cents ?: Cents(0) }.maxOf { it }
}

internal inline fun Money.isDebt() = cents.raw < 0 && cents.raw.absoluteValue > 0
private fun Money?.orZero() = this ?: Money.ZERO
infix fun Long.of(code: String): Money = Money(Cents(this), Tender.getInstance(code))
var defaultTender: Tender? = null
