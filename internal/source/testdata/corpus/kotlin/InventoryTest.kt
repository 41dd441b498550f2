package com.example.shop.inventory

import org.junit.jupiter.api.*
import org.junit.jupiter.api.Assertions.assertEquals as same
import org.junit.jupiter.params.ParameterizedTest
import org.junit.jupiter.params.provider.CsvSource

/** 재고 테스트: class Fake { @Test fun commented() {} } */
@DisplayName("stock (all of it)")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
internal class InventoryTest {
    private val stock = mutableMapOf("apple" to 3, "@Test fun inString() {" to 0)

    @BeforeEach
    fun refill() { stock["apple"] = 3 }

    @Test
    fun takesOne() = same(2, take("apple", 1))

    @Test @DisplayName("fun (not, this) { }")
    fun `refuses more than there is (4 of 3)`() {
        assertThrows<IllegalArgumentException> { take("apple", 4) }
    }

    // @Test
    fun notATest() {
        @Suppress("unused") fun local() = Unit
    }

    /*
    @Test
    fun commentedOut() {}
    */

    @ParameterizedTest(name = "{0} -> {1}")
    @CsvSource("apple, 3", "'fun x() {', 0", delimiter = ',')
    fun `knows how much is left`(name: String, expected: Int) {
        val text = """
            @Test
            fun inRawString() { ${stock.keys.joinToString { k -> "\"$k\"" }} }
        """.trimIndent()
        same(expected, stock[name] ?: 0, text)
    }

    @RepeatedTest(value = 5, name = "{currentRepetition}")
    fun staysTheSame(info: RepetitionInfo) {
        same(3, stock["apple"], "run ${info.currentRepetition}")
    }

    @TestFactory
    fun generated(): List<DynamicTest> = listOf(DynamicTest.dynamicTest("made") { })

    @Nested
    inner class WhenEmpty {
        @BeforeEach fun clear() = stock.clear()

        @Test
        fun `한글 이름도 된다`() { same(0, stock.size) }

        @Nested
        @DisplayName("deeper")
        inner class AndClosed {
            @Disabled("until #12, or later")
            @Test fun refusesAll() {
                assertThrows<IllegalArgumentException> { take("pear", 1) }
            }
        }
    }

    @org.junit.jupiter.api.Test
    fun lastOne() {
        same(0, take("apple", 3))
    }

    private fun take(name: String, count: Int): Int {
        val left = stock.getOrDefault(name, 0) - count
        require(left >= 0) { "only ${stock[name]} of $name" }
        stock[name] = left
        return left
    }
}

class ReorderTest { @Test fun `orders at night`() {} }
