package com.example.billing.gateway;

import java.io.IOException;
import java.time.Duration;
import java.util.*;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;

import static java.util.Objects.requireNonNull;
import static java.util.stream.Collectors.*;

/**
 * Port to a provider of card payments.
 *
 * <pre>{@code
 * public interface NotThisOne { void neverListed(); }
 * }</pre>
 *
 * @param <R> receipt of the provider, see {@link Receipt}
 */
@FunctionalInterface
public interface PaymentGateway<R extends Comparable<? super R> & java.io.Serializable> extends AutoCloseable {

    int MAX_ATTEMPTS = 3;

    /**
     * Charges a card.
     *
     * @param cents what to charge
     * @requires cents is positive
     * @return the receipt, never
     *         an empty one.
     * @throws IOException if the provider is not reachable
     * @exception IllegalStateException if the gateway is closed
     */
    R charge(@Deprecated(since = "2, (old)", forRemoval = true) String card, long cents) throws IOException, TimeoutException;

    @Override
    default void close() { /* public void inComment() {} */ }

    /** Charges later. */
    default CompletableFuture<Optional<R>> chargeAsync(final String card, long cents, Duration... delays) {
        Objects.requireNonNull(card, "card");
        if (cents <= 0) throw new IllegalArgumentException("cents (" + cents + ") <= 0");
        if (delays.length > MAX_ATTEMPTS) {
            throw new IllegalArgumentException("if (delays) { throw }");
        }
        return CompletableFuture.completedFuture(attempt(() -> { return Optional.<R>empty(); }));
    }

    private <T> T attempt(java.util.function.Supplier<? extends T> call) {
        if (call == null) throw new NullPointerException();
        return call.get();
    }

    static <A, B extends Comparable<? super B> & java.io.Serializable> Function<? super A, Map<String, List<B>>> grouping(
            Function<A, ? extends B> first, // the (first) one
            Map<String, ? super A[]> ignored) {
        return a -> List.of(first.apply(a)).stream().collect(groupingBy(b -> "record Fake(int x) {"));
    }

    /** What the provider says. */
    record Receipt(String id, long cents, byte[] raw) {
        public static final String PREFIX = "rcpt_";

        /**
         * @pre id is not blank
         */
        public Receipt(String id, long cents, byte[] raw) {
            if (!id.startsWith(PREFIX)) { throw new IllegalArgumentException(id); }
            this.id = id.strip();
            this.cents = cents;
            this.raw = raw.clone();
        }

        boolean isFree() { return cents == 0; }

        public String shortId() { return id.substring(PREFIX.length()); }
    }

    class TimeoutException extends Exception {
        TimeoutException(String message) { super(message); }
    }
}

class LoggingGateway {
    public void charge() { }
}
