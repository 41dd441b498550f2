package com.example.shop.orders;

import static com.google.common.base.Preconditions.checkArgument;

import com.google.common.base.Preconditions;
import java.util.*;
import java.util.function.Supplier;
import javax.annotation.processing.Generated;

/** Orders and their parcels. */
@Generated(value = "by hand, (really)", comments = "public class X {")
public final class Orders {
    private Orders() { }

    /** Where an order stands: open, paid or gone. */
    public sealed interface OrderState permits Draft, Paid, Cancelled {
        default boolean done() { return !(this instanceof Draft d) || d.lines().length > 0; }
    }

    public record Draft(String[] lines, Map<String, List<int[]>> stock) implements OrderState { }

    public record Paid<M extends Number & Comparable<? super M>>(M amount, @Deprecated String note) implements OrderState { }

    public static non-sealed class Cancelled implements OrderState {
        protected final void undo() throws UnsupportedOperationException { }
    }

    public enum ParcelStatus implements Supplier<String> {
        PACKED("p, (1)") { @Override public String get() { return "{"; } public void hidden() { } },
        /** On the way; enum Fake { A } */
        @Deprecated(since = "2") SENT { @Override public String get() { return "s"; } },
        DELIVERED, LOST;

        private final String tag;
        ParcelStatus(String... tags) { tag = String.join(";", tags); }
        @Override public String get() { return tag; }
    }

    enum InternalPhase { ONE, TWO }

    /** One parcel. */
    public static class Parcel {
        public final long id = new Random().nextLong();
        private ParcelStatus status = ParcelStatus.PACKED;

        public void scan(String place) {
            switch (this.status) {
                case PACKED -> this.status = ParcelStatus.SENT;
                case SENT -> {
                    System.out.println("this.status = ParcelStatus.LOST; " + place);
                    this.status = ParcelStatus.DELIVERED;
                }
                case DELIVERED, LOST -> throw new IllegalStateException();
            }
        }

        /** @throws NoSuchElementException never, so far. */
        public void lose(String place) {
            Preconditions.checkArgument(place.length() > (1 << 1), "place %s", place);
            if (ParcelStatus.SENT != this.status) throw new IllegalStateException("not sent");
            this.status = ParcelStatus.LOST;
        }

        public synchronized void find(String place) {
            System.out.println(place);
            if (this.status != ParcelStatus.LOST) throw new IllegalStateException("not lost");
            this.status = ParcelStatus.SENT;
        }

        public void restart(boolean hard) {
            if (this.status != ParcelStatus.LOST) { throw new IllegalStateException(); }
            this.status = ParcelStatus.PACKED;
            if (hard) { this.status = ParcelStatus.SENT; }
        }
    }

    @SafeVarargs
    public static <K extends Comparable<K>, V extends Collection<? super K>> Map<K, V> index(Supplier<? extends V> make, K... keys) {
        Objects.requireNonNull(make, () -> "make == " + null);
        Map<K, V> result = new TreeMap<>();
        for (final K key : keys) { result.computeIfAbsent(key, k -> make.get()).add(key); }
        return result;
    }
}
