package com.example.game.events;

import java.lang.annotation.*;
import java.lang.reflect.Method;
import java.util.*;
import java.util.function.BiFunction;
import java.util.function.Predicate;

/** Delivers events, class by class. */
@SuppressWarnings("unused")
public sealed abstract class EventBus<E extends EventBus.Event> permits EventBus.Direct, EventBus.Queued {

    /** @lifecycle 9 */
    @Retention(RetentionPolicy.RUNTIME) @Target({ElementType.METHOD, ElementType.TYPE})
    public @interface Listens { }

    public interface Event extends Comparable<Event> {
        Set<String> NAMES = new HashSet<>(List.of("interface Fake { void a(); }", "b"));

        long at();
        @Override default int compareTo(Event other) { return Long.compare(at(), rank(other)); }
        static <T extends Event> Predicate<? super T> after(long time) { return e -> e.at() > time; }
        private long rank(Event e) { return e.at(); }
        private static void log(Object... what) { }

        enum Priority { LOW, HIGH { @Override public int weight() { return 2; } }; public int weight() { return 1; } int secret() { return 0; } }

        class Tick implements Event {
            public final long at;
            int count;
            Tick(long at) { this.at = at; }
            public long at() { return at; }
        }
    }

    static final class Direct<E extends Event> extends EventBus<E> {
        public void post(E event) { if (event == null) throw new NullPointerException(); }
    }

    public static non-sealed class Queued<E extends Event> extends EventBus<E> {
        private final Deque<E> queue = new ArrayDeque<>();

        /**
         * Takes an event in.
         *
         * <p>An {@literal @throws} in a text is no tag: it stands within a line.
         *
         * @param event what happened
         * @requires event.at() is not
         *           in the past
         * @requires the queue is open
         * @ensures the queue holds one more
         * @throws IllegalArgumentException if there are no listeners
         * @throws NullPointerException if one of the steps is null
         */
        @Override public <T extends E> boolean post(final T event, BiFunction<? super T, Integer, ? extends Number>... steps) {
            if (event.at() <= 0L) throw new IllegalArgumentException(String.format("at (%d) <= 0", event.at()));
            if (steps.length >>> 1 > 8) throw new IllegalArgumentException("steps");
            if (Arrays.asList(steps).contains(null) == true) throw new NullPointerException();
            return queue.add(event);
        }

        @Listens
        public Method[] methods(Class<? extends E>[] kinds, Map.Entry<String, ?>... more) throws ReflectiveOperationException {
            for (Class<?> kind : kinds) { if (kind == null) throw new NullPointerException("kind"); }
            return kinds[0].getMethods();
        }
    }

    <T extends E> boolean post(T event, BiFunction<? super T, Integer, ? extends Number>... steps) { return false; }
}

@interface Hidden { String value() default "public @interface Shown { }"; int[] codes() default {1, 2}; }

interface Sink<T> { void take(T t); }
