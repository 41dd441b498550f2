package com.example.media.download

import java.nio.file.Path
import java.util.concurrent.CopyOnWriteArrayList

/** What a download does at the moment. */
sealed interface DownloadState {
    object Idle : DownloadState
    data class Running(val done: Long, val total: Long = maxOf(done, 1L)) : DownloadState {
        val ratio: Double get() = done.toDouble() / total
    }
    data object Finished : DownloadState
    class Broken(val why: Throwable) : DownloadState, Comparable<Broken> {
        override fun compareTo(other: Broken) = 0
    }
}

enum class LinkStatus(val code: Int) : Runnable {
    FRESH(0) {
        override fun run() { println("enum class Fake { A }") }
        fun onlyHere() = Unit
    },
    /** Used, (but good). */
    @Deprecated("use FRESH")
    USED(1) { override fun run() = Unit },
    DEAD(2) { override fun run() = Unit };

    abstract override fun run()
    fun isGood() = this != DEAD
}

internal enum class DiskPhase { FREE, FULL }

/**
 * Loads one file after the other.
 */
open class DownloadManager(private val target: Path, vararg mirrors: String) {
    private val watchers = CopyOnWriteArrayList<(LinkStatus) -> Unit>()
    private val hosts = mirrors.toList()
    protected var status: LinkStatus = LinkStatus.FRESH
        private set

    /**
     * Uses the link up.
     *
     * Precondition: the link points to
     * a host of this manager
     *
     * @lifecycle 2
     */
    open fun consume(url: String): DownloadState {
        if (this.status != LinkStatus.FRESH) throw IllegalStateException("status is ${this.status}")
        val host = url.substringAfter("://").substringBefore('/')
        if (host.isEmpty()) throw IllegalArgumentException("if (url.isEmpty()) throw")
        if (url.indexOf("<") >= 0 || url == "}") {
            throw IllegalArgumentException(url)
        }
        this.status = LinkStatus.USED
        return DownloadState.Running(0)
    }

    /** @lifecycle 10 */
    fun abandon() {
        when (this.status) {
            LinkStatus.FRESH, LinkStatus.USED -> this.status = LinkStatus.DEAD
            LinkStatus.DEAD -> { /* this.status = LinkStatus.FRESH */ }
        }
    }

    /** @lifecycle 1 */
    fun revive(watcher: (LinkStatus) -> Unit = { s -> println("$s, {}") }) {
        watchers += watcher
        when (this.status) {
            LinkStatus.DEAD -> {
                watchers.forEach { w -> w(LinkStatus.DEAD) }
                this.status = LinkStatus.USED
            }
            LinkStatus.USED -> this.status = LinkStatus.FRESH
            else -> return
        }
    }

    inner class Cursor internal constructor(start: Int = 0) : Iterator<String> by hosts.drop(start).iterator()
}
