package com.example.jobs

import java.time.Duration
import java.util.PriorityQueue
import java.util.concurrent.TimeoutException
import kotlinx.coroutines.*

/** 작업의 상태. */
enum class TaskStatus { QUEUED, RUNNING, DONE, FAILED }

sealed class WorkerState(val label: String) {
    class Asleep(val since: Long = System.nanoTime()) : WorkerState("asleep (z)")
    object Awake : WorkerState("awake"), Runnable { override fun run() = Unit }
}

interface Queue<T : Any> {
    /**
     * Puts an item in.
     *
     * @pre the item is new
     * @post size grows
     *   by one
     * @throws TimeoutException when nobody
     *   makes room
     */
    suspend fun put(item: T, patience: Duration = Duration.ofSeconds(1)): Boolean

    fun size(): Int
}

class TaskQueue<T>(private val limit: Int) : Iterable<T> by emptyList(), Queue<T> where T : Any, T : Comparable<T> {
    private val heap = PriorityQueue<T>()
    private var status = TaskStatus.QUEUED

    /** @lifecycle 2 */
    override suspend fun put(item: T, patience: Duration): Boolean = withContext(Dispatchers.Default) {
        if (patience.isZero) throw TimeoutException("if (patience) { }")
        heap.add(item)
    }

    override fun size() = heap.size

    /**
     * Starts the queue.
     * @lifecycle 1
     */
    fun start(workers: Int, hooks: Map<String, () -> Unit> = mapOf("a" to { println("(") }, "b" to { })): Job {
        if (this.status != TaskStatus.QUEUED) { throw IllegalStateException("started") }
        require(workers in 1..limit) { "workers" }
        println("this.status = TaskStatus.DONE")
        if (hooks.isEmpty()) throw IllegalArgumentException("too late")
        this.status = TaskStatus.RUNNING
        return Job()
    }

    fun fail(why: Throwable?) {
        if (this.status == TaskStatus.DONE) throw IllegalStateException("done", why)
        if (why != null) { throw why.fillInStackTrace() } else { heap.clear() }
        this.status = TaskStatus.FAILED
    }

    fun retry(): TaskStatus {
        when (this.status) {
            TaskStatus.FAILED -> {
                heap.clear() // this.status = TaskStatus.DONE
                this.status = TaskStatus.QUEUED
            }
            TaskStatus.RUNNING -> {
                this.status = TaskStatus.QUEUED
                this.status = TaskStatus.FAILED
            }
            else -> {}
        }
        return this.status
    }
}

/** 멈춘다, @lifecycle of nothing. */
suspend fun <T : Any> Queue<T>.drain(each: suspend CoroutineScope.(T) -> Unit): Int = coroutineScope { size() }
