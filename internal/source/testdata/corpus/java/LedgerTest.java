package com.example.ledger;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.stream.Stream;
import org.junit.jupiter.api.*;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.*;

/**
 * 장부 테스트. Not here: {@code @Test void inJavadoc() {}}
 */
@DisplayName("ledger { of all }")
class LedgerTest {

    private static final String SCRIPT = """
        @Test
        void inTextBlock() { "\""" }
        """;

    private long balance;

    @BeforeEach
    void reset() { balance = 100; }

    @AfterAll static void report() { System.out.println(SCRIPT); }

    @Test
    void startsAtHundred() { assertEquals(100, balance); }

    @Test @DisplayName("void x() {") @Tag("a"/*, @Test void y() */)
    public final void withdraws() throws Exception {
        withdraw(1);
        Runnable anonymous = new Runnable() {
            public void run() { balance++; }
        };
        anonymous.run();
    }

    // @Test void commentedOut() { }

    @ParameterizedTest(name = "[{index}] {0} (of {1})")
    @ValueSource(longs = {101, 1_000, Long.MAX_VALUE})
    void refusesOverdraft(final long amount) {
        assertThrows(IllegalArgumentException.class, () -> { withdraw(amount); });
    }

    @MethodSource("pairs")
    @org.junit.jupiter.params.ParameterizedTest
    <T extends Comparable<T>> void compares(T a, @SuppressWarnings({"unused", "x"}) T b) { a.compareTo(b); }

    static Stream<Arguments> pairs() { return Stream.of(Arguments.of("a", "b"), Arguments.of(1, 2)); }

    @RepeatedTest(3)
    void repeats(TestInfo info) { assertEquals(100, balance, info.getDisplayName()); }

    @TestFactory
    Stream<DynamicTest> dynamic() { return Stream.empty(); }

    void testNothing() { }

    @Nested
    class WhenFrozen {
        @Test void refusesAll() { assertThrows(IllegalStateException.class, this::touch); }

        private void touch() { throw new IllegalStateException("@Test void no() {}"); }

        @Nested class AndClosed {
            @Disabled("until the audit, (or later)")
            @Test
            void 한글_이름() { assertEquals('}', "}".charAt(0)); }
        }

        @Test void staysFrozen() { }
    }

    @Test void last() { }

    private void withdraw(long amount) {
        if (amount > balance) { throw new IllegalArgumentException("overdraft"); }
        balance -= amount;
    }
}

class AuditTest { @Test void writesTrail() { } }
