package com.example.edge.limits;

import java.time.Clock;
import java.time.Instant;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.Objects;
import java.util.concurrent.*;
import java.util.concurrent.atomic.AtomicLong;

/**
 * 요청 제한기: lets only so many calls through.
 *
 * Invariant: this is said of the class, not of a method
 */
public class RateLimiter<K extends Comparable<? super K>> {

    /** Marks what is limited; public class Fake { } */
    public @interface Limited { }

    private final Map<K, AtomicLong> used = new ConcurrentHashMap<>();
    private final Clock clock;
    private boolean closed; /* public boolean open; */
    public final long perSecond;

    public RateLimiter(Clock clock, long perSecond) {
        if (perSecond <= 0) throw new IllegalArgumentException("perSecond");
        this.clock = clock;
        this.perSecond = perSecond;
    }

    /**
     * Takes permits.
     *
     * @lifecycle 2
     * @param key who calls
     * @precondition the key has
     *     been registered.
     * @return whether the call may go on
     * @throws RejectedExecutionException if the
     *     limiter is closed.
     */
    @Limited public boolean acquire(K key, int... permits) throws RejectedExecutionException {
        Objects.requireNonNull(key);
        Instant now = clock.instant();
        if (this.closed) { throw new RejectedExecutionException("closed at " + now); }
        if (permits == null || permits.length == 0) return false;
        if (permits[0] < 0) throw new IllegalArgumentException("negative");
        return used.computeIfAbsent(key, k -> new AtomicLong()).addAndGet(permits[0]) <= perSecond;
    }

    /** @lifecycle 1 */
    public void register(K key) {
        if (key != null) { used.put(key, new AtomicLong()); } else { throw new NullPointerException("key"); }
        if (used.size() > 1_000) throw new IllegalStateException("too many");
    }

    public void forget(final K key) {
        // Requires: nothing, this is a plain comment
        if (!used.containsKey(key)) {
            // nobody knows it
            throw new NoSuchElementException(String.valueOf(key));
        }
        synchronized (used) { if (key == null) throw new NullPointerException(); used.remove(key); }
    }

    /** @lifecycle 30 */
    protected void close(boolean now) throws InterruptedException, TimeoutException {
        try {
            if (now) throw new TimeoutException("now");
        } finally { this.closed = true; }
    }

    <V> V within(Callable<? extends V> call) throws Exception { return call.call(); }
}
