package com.example.수학;

import java.util.Arrays;
import java.util.function.DoubleBinaryOperator;
import java.util.function.IntFunction;

/**
 * 행렬: a table of numbers.
 *
 * @param <E> what the cells hold
 * @see #of(double[][])
 */
public abstract class Matrix<E extends Number & Comparable<E>> {

    public static final double π = 3.14159;
    public static final IntFunction<int[]> ZEROS = n -> { int[] zero = new int[n]; return zero; };
    static final class Secret { private Secret() { } }

    static { if (ZEROS == null) throw new ExceptionInInitializerError("static { }"); }
    { System.out.println("public Matrix() { }"); }

    Matrix() { this(1, 1); }

    /**
     * Makes room.
     *
     * @param rows how many; requires: nothing
     * @invariant rows * columns stays
     *     as it is
     */
    protected Matrix(int rows, int... columns) {
        if (rows < 1) throw new IllegalArgumentException("rows < 1; // (bad)");
        final int first = columns[0];
        if (first != columns.length - 1) { throw new IndexOutOfBoundsException("first"); }
        assert rows != first : "square";
    }

    public abstract E cell(int row, int column) throws IndexOutOfBoundsException;

    protected abstract <T extends Appendable & CharSequence> T print(final T[] to, E... cells);

    /**
     * Adds two tables.
     * @return a new table,
     *     as large as both
     * @postcondition neither a nor b is changed
     */
    public static strictfp double[][] add(double[][] a, double b[][]) {
        if (a.length != b.length) {
            throw new ArithmeticException("a \" { b");
        }
        double[][] sum = new double[a.length][];
        if (a == b) return a;
        if (b.length == 0) throw new ArithmeticException();
        for (int i = 0; i < a.length; i++) sum[i] = combine(a[i], b[i], (x, y) -> { return x + y; });
        return sum;
    }

    private static double[] combine(double[] a, double[] b, DoubleBinaryOperator f) {
        if (f == null) throw new NullPointerException();
        return Arrays.stream(a).map(x -> f.applyAsDouble(x, b[0])).toArray();
    }

    @SuppressWarnings(value = {"rawtypes", "a) {"})
    public @Deprecated final double 행렬식(double[]... 행들) {
        if (행들.length == 0) throw new IllegalStateException("비었다");
        return 행들[0][0] * π;
    }

    public static native int probe(byte[] memory, Class<?>... kinds);

    int packagePrivate() { return 0; }

    public class Cursor implements AutoCloseable {
        public Cursor(final int start) { if (start < 0) { throw new IllegalArgumentException(); } else { probe(null); } }
        @Override public void close() { }
        protected Matrix<E> owner() { return Matrix.this; }
    }
}

abstract class SparseMatrix<E extends Number & Comparable<E>> extends Matrix<E> { public int filled; }
