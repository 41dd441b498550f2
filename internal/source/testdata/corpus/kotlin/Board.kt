package com.example.game.board

import kotlin.properties.Delegates
import kotlin.random.Random.Default.nextInt as dice

/* fun commented(): Int = 1 /* nested: class Ghost */ val alsoNot = 2 */

const val 크기: Int = 8
lateinit var observer: (Board<*>, List<Pair<Int, Int>>) -> Unit

data class Cell(val x: Int, val y: Int) {
    operator fun rangeTo(other: Cell): Sequence<Cell> =
        (x..other.x).asSequence().flatMap { cx -> (y..other.y).map { cy -> Cell(cx, cy) } }
    operator fun minus(other: Cell) = Cell(x - other.x, y - other.y)
}

fun interface Rule<in P : Piece, out R> where P : Comparable<P> {
    fun check(piece: P, cell: Cell): R
    private fun why(): String = "because"
}

interface Piece {
    val name: String
    fun canMove(from: Cell, to: Cell): Boolean
    fun title() = "fun title() = $name.${name.length}"
    companion object { fun none(): Piece? = null }
}

abstract class Board<P : Piece>(protected val size: Int = 크기 * 2, seed: () -> Int = { dice(1, 7).let { n -> n + 1 } }) {
    protected var turns by Delegates.observable(seed()) { _, old, new -> check(new >= old) { "back" } }
    private val cells = HashMap<Cell, P>()
    var closed = false
        internal set(value) { field = value || field }
    val `is full`: Boolean get() = cells.size == size * size

    /**
     * Puts a piece on a cell.
     *
     * Preconditions: the cell is on the board.
     * Invariant: a cell holds
     * at most one piece
     */
    operator fun set(cell: Cell, piece: P) {
        check(!this.closed) { "closed { (" }
        require(cell.x in 0 until size && cell.y < size)
        require(cell.y >= 0) { val text = "y"; "$text < 0" }
        cells[cell] = piece
        require(piece.name.isNotEmpty())
    }

    operator fun get(cell: Cell): P? = cells[cell]

    /** 말을 옮긴다. */
    infix fun Cell.moveTo(to: Cell): Boolean {
        val piece = cells[this]
        if (piece == null) throw NoSuchElementException("nobody, (there) {")
        if (to === this) throw IllegalArgumentException("same")
        if (!piece.canMove(this, to)) { throw IllegalArgumentException("no ${"way"}") }
        cells -= this
        return cells.put(to, piece) == null
    }

    protected abstract fun over(): Boolean
    protected inner class Turn(val number: Int)

    tailrec fun <T : Any> search(todo: List<T>, seen: Set<T> = emptySet(), next: (T) -> List<T> = { listOf() }): Int =
        if (todo.isEmpty()) seen.size else search(todo.drop(1) + next(todo[0]), seen + todo[0], next)

    @Synchronized
    open fun 끝내기(이유: String, vararg 말들: P?, then: (P.() -> Unit)? = null) {
        if (이유.isEmpty() == true) throw Stop(); println(이유)
        if (말들.size > 2) throw Stop()
    }
}

internal abstract class Draft : Board<Piece>() { fun visible() = object : Runnable { override fun run() {} } }
private class Rook { fun roll() = 1 }
class Stop @JvmOverloads constructor(message: String = "stop; }") : RuntimeException(message)
