@file:JvmName("Retries")
@file:Suppress("unused", "class Ghost(val x: Int)")

package com.example.http.retry

import kotlin.math.min
import kotlin.time.*
import kotlin.time.Duration.Companion.milliseconds as ms
import kotlinx.coroutines.delay
import java.io.IOException

/** How often a call is tried. */
const val DEFAULT_ATTEMPTS = 3

val RETRYABLE: Set<Int> = setOf(408, 429, /* 425, */ 503)

internal val secretCodes = listOf(599)
private var debug = false

typealias Backoff = (attempt: Int, previous: Duration?) -> Duration

/**
 * One answer.
 *
 * ```
 * fun notDeclared(): Int = 0
 * ```
 */
data class HttpAnswer<out T : Any>(
    val status: Int, // the (numeric) code
    val body: T?,
    val headers: Map<String, List<String>> = mapOf("accept" to listOf("*/*", "a,b"))
)

sealed class RetryException(message: String, cause: Throwable? = null) : IOException(message, cause) {
    class Exhausted(val attempts: Int) : RetryException("gave up after $attempts")
    data class Refused(val code: Int, private val why: String = "{${"nested $code"}}") : RetryException(why)
    private class Hidden : RetryException("hidden")
}

fun interface Transport<in Q, out A : Any> {
    suspend fun send(request: Q): HttpAnswer<A>
}

open class RetryClient<Q, A : Any> internal constructor(
    private val transport: Transport<Q, A>,
    private val backoff: Backoff = { n, last -> min(n, 5).let { (last ?: 10.ms) * it } },
) : AutoCloseable {

    protected open val name: String get() = "fun fake() = 1"

    /**
     * Sends until it works.
     *
     * @param request what to send
     * @return the first good answer
     * @throws RetryException.Exhausted after the last attempt
     */
    open suspend fun send(
        request: Q,
        attempts: Int = DEFAULT_ATTEMPTS,
        accept: (HttpAnswer<A>) -> Boolean = { it.status in 200..299 && it.body != null }
    ): HttpAnswer<A> {
        require(attempts > 0) { "attempts (was $attempts) must be > 0" }
        if (attempts > 100) throw IllegalArgumentException("if (attempts > 100) { }")
        var last: Duration? = null
        repeat(attempts) { n ->
            val answer = transport.send(request)
            if (accept(answer)) return answer
            last = backoff(n, last)
            delay(last!!)
        }
        throw RetryException.Exhausted(attempts)
    }

    protected fun describe() = """class Fake { fun inside(a: Int) = "${name.map { c -> c + 1 }}" }"""

    override fun close() = Unit

    internal fun reset() { debug = true }

    companion object {
        const val HEADER = "x-retry"
        private const val SECRET = "s"
        inline fun <reified A : Any> isBody(candidate: Any?): Boolean = candidate is A
    }
}
