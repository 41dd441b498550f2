package com.example.db.pool;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.Callable;

/** Keeps connections open. {@code public class Fake {}} */
public final class ConnectionPool<C extends Connection & AutoCloseable> implements AutoCloseable {

    /** Life of the pool. */
    public enum PoolState { NEW, OPEN, DRAINING("d") { @Override boolean busy() { return true; } }, CLOSED;
        PoolState(String... tags) { }
        boolean busy() { return this == OPEN; }
        public boolean isFinal() { return this == CLOSED; }
    }

    private enum SlotStatus { FREE, TAKEN }

    public static final int MAX_SIZE = Math.max(1, Integer.getInteger("pool.max", 16));
    static final int MIN_SIZE = 1;

    private final Deque<C> idle = new ArrayDeque<>();
    private PoolState state = PoolState.NEW;
    private SlotStatus slot = SlotStatus.FREE;

    /**
     * Ends everything.
     *
     * @lifecycle 3
     * @throws SQLException if a connection resists
     */
    @Override
    public synchronized void close() throws SQLException {
        switch (this.state) {
            case NEW:
            case OPEN:
                this.state = PoolState.CLOSED;
                break;
            case DRAINING:
                idle.clear();
                this.state = PoolState.CLOSED;
                break;
            default:
                break;
        }
    }

    /**
     * Opens the pool.
     *
     * @lifecycle 1
     * @postcondition size() equals the size that was asked for
     */
    public void open(int size, Callable<? extends C> factory) throws Exception {
        if (this.state != PoolState.NEW) throw new IllegalStateException("not new: " + this.state);
        if (size < MIN_SIZE || size > MAX_SIZE) {
            throw new IllegalArgumentException("size");
        }
        for (int i = 0; i < size; i++) { idle.push(factory.call()); }
        this.state = PoolState.OPEN;
    }

    /** @lifecycle 2 */
    public <T, X extends Exception> T with(Work<? super C, ? extends T, X> work) throws X, SQLException {
        if (this.state == PoolState.CLOSED) throw new SQLException("closed; // not a comment");
        C taken = idle.poll();
        if (taken == null) { throw new SQLException("empty"); }
        if (work == null) { throw new NullPointerException("work"); }
        slot = SlotStatus.TAKEN;
        try { return work.run(taken); } finally { idle.push(taken); }
    }

    public void drain(boolean hard) {
        if (this.state != PoolState.OPEN && this.state != PoolState.NEW) throw new IllegalStateException();
        this.state = PoolState.DRAINING;
    }

    @FunctionalInterface
    public interface Work<A, R, X extends Exception> {
        R run(A connection) throws X;
    }

    static class Leak { public int count; }
}
