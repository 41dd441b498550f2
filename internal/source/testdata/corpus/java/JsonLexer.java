package com.example.json;

import java.io.*;
import java.util.Iterator;
import java.util.function.IntPredicate;

/**
 * Splits JSON into tokens, see {@link #next()}.
 * <pre> public class JsonLexerExample { } </pre>
 */
public class JsonLexer implements Iterable<JsonLexer.Token>, Closeable {

    public static final String SAMPLE = """
        {"a": "public class Fake {", "b": \"""}
        // public void notHere() { }
        """;
    public static final char[][] PAIRS = {{'{', '}'}, {'"', '\''}, {'\\', ';'}};
    public static int debugLevel = 0;
    private static final int STRICT = 1 << 3;

    private final Reader source;
    private int flags, depth;

    /** Which sort of token it is. */
    public enum Kind { OPEN, CLOSE, TEXT('"'), END; Kind(char... quotes) { } }

    public record Token(Kind kind, String text, int... offsets) implements Serializable {
        public static Token end() { return new Token(Kind.END, ""); }
        @Override public String toString() { return "Token(" + text + ")"; }
        record Pair(Token left, Token right) { public Token first() { return left; } }
    }

    public JsonLexer(String text) { this(new StringReader(text), c -> c != '{'); }

    @SuppressWarnings({"unchecked", "public void x() {"})
    protected JsonLexer(Reader source, IntPredicate... accept) {
        if (source == null) throw new NullPointerException("source");
        if (accept.length == 0 || accept[0] == null) { throw new IllegalArgumentException("accept"); }
        this.source = source;
    }

    /**
     * Reads the next token.
     *
     * Preconditions: the reader is not closed
     * Returns: the token, or the
     * end of the text.
     *
     * @throws LexException if the text is torn
     */
    public final Token next() throws IOException, LexException {
        assert this.source != null : "closed; // really";
        final int limit = Math.min(depth, 8);
        if (limit > 7) { throw new LexException("deep"); }
        if ((this.flags & STRICT) == 0) throw new LexException("lenient");
        int c = source.read();
        return c < 0 ? Token.end() : new Token(Kind.TEXT, String.valueOf((char) c), depth++);
    }

    public <T extends Throwable> int skip(final String text, java.util.function.Function<? super String, ? extends T> error) throws T {
        if (text.chars().anyMatch(c -> c < ' ')) throw new IllegalArgumentException("a < b");
        if (text.isEmpty()) {
            debugLevel++;
            throw error.apply("empty");
        }
        if (text.length() > 10) throw error.apply("long");
        return text.length();
    }

    @Override
    public Iterator<Token> iterator() {
        return new Iterator<>() {
            public boolean hasNext() { return depth < 100; }
            @Override public Token next() { if (depth < 0) throw new IllegalStateException(); return Token.end(); }
        };
    }

    @Override public void close() throws IOException { source.close(); }

    public static class LexException extends Exception {
        protected LexException(String message) { super(message); }
        int offset() { class Local { public int x; } return new Local().x; }
    }
}
