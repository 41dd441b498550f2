import java.io.*;
import java.lang.reflect.*;
import java.math.*;
import java.nio.file.*;
import java.util.*;
import java.util.stream.*;

class Call {
    static final List<String> COMMON = List.of("java.lang.", "java.util.", "java.math.", "java.time.");

    static class Cannot extends RuntimeException {
        Cannot(String why) {
            super(why);
        }
    }

    static String home; // the package of the call, and the class of its file in Kotlin, with a colon
    static boolean changed; // an argument, by the last call
    static final Set<Object> taken = Collections.newSetFromMap(new IdentityHashMap<>());
    static final Set<Object> given = Collections.newSetFromMap(new IdentityHashMap<>());

    public static void main(String[] args) throws Exception {
        Map<?, ?> plan = (Map<?, ?>) new Json(Files.readString(Path.of({plan}))).value();
        try (Writer out = Files.newBufferedWriter(Path.of((String) plan.get("out")))) {
            for (Object c : (List<?>) plan.get("calls")) {
                Map<String, Object> said = tell((Map<?, ?>) c);
                said.put("id", ((Map<?, ?>) c).get("id"));
                out.write(json(said) + "\n");
                out.flush();
            }
        }
        System.exit(0);
    }

    @SuppressWarnings("unchecked")
    static List<Map<String, Object>> links(Object v) {
        return (List<Map<String, Object>>) v;
    }

    static final Map<String, Object> variables = new HashMap<>();

    /** Sequence makes the steps before a call, and then that. */
    static Object sequence(Map<?, ?> c) throws Throwable {
        variables.clear();
        for (Object s : list(c, "before")) {
            String name = text((Map<?, ?>) s, "name");
            try {
                Object x = chain(links(((Map<?, ?>) s).get("call")));
                if (name.isEmpty()) containers(x, given, 0);
                else variables.put(name, x);
            } catch (Throwable e) {
                if (!name.isEmpty() || e instanceof Cannot) throw e;
            }
        }
        return chain(links(c.get("call")));
    }

    static Map<String, Object> tell(Map<?, ?> c) {
        home = text(c, "module");
        changed = false;
        taken.clear();
        Map<String, Object> said = new LinkedHashMap<>();
        Object result;
        try {
            result = sequence(c);
        } catch (Cannot e) {
            said.put("cannot", e.getMessage());
            return said;
        } catch (Throwable e) {
            said.put("error", thrown(e));
            return said;
        }
        try {
            said.put("value", shown(result, 0));
        } catch (Throwable e) {
            said.put("cannot", "what it gives cannot be shown: " + e);
            return said;
        }
        said.put("changed", changed);
        Set<Object> all = Collections.newSetFromMap(new IdentityHashMap<>());
        containers(result, all, 0);
        boolean shared = all.stream().anyMatch(x -> taken.contains(x) || given.contains(x));
        said.put("shared", shared);
        said.put("same", result != null && shared && (taken.contains(result) || given.contains(result)));
        given.addAll(all);
        return said;
    }

    static Map<String, Object> thrown(Throwable e) {
        List<String> names = new ArrayList<>();
        for (Class<?> c = e.getClass(); c != Object.class; c = c.getSuperclass()) names.add(c.getSimpleName());
        return Map.of("names", names, "text", String.valueOf(e.getMessage()));
    }

    static String text(Map<?, ?> m, String key) {
        return m.get(key) instanceof String s ? s : "";
    }

    static boolean set(Map<?, ?> m, String key) {
        return Boolean.TRUE.equals(m.get(key));
    }

    static List<?> list(Map<?, ?> m, String key) {
        return m.get(key) instanceof List<?> l ? l : List.of();
    }

    /** Chain makes the calls of a chain. */
    static Object chain(List<Map<String, Object>> links) throws Throwable {
        Object at = null;
        for (int i = 0; i < links.size(); i++) at = i == 0 ? start(links.get(i)) : step(at, links.get(i));
        return at;
    }

    /** Start is what the first link of a chain gives. */
    static Object start(Map<String, Object> link) throws Throwable {
        if (set(link, "var")) return variables.get(text(link, "name"));
        String name = text(link, "name"), place = text(link, "module").isEmpty() ? home : text(link, "module");
        String pkg = place.substring(0, place.indexOf(':')), file = place.substring(place.indexOf(':') + 1);
        String[] parts = name.split("\\.");
        for (String prefix : Stream.concat(Stream.of(pkg.isEmpty() ? "" : pkg + "."), COMMON.stream()).toList()) {
            Class<?> c = found(prefix + parts[0]);
            int k = 1;
            for (; c != null && k < parts.length && found(c.getName() + "$" + parts[k]) != null; k++) c = found(c.getName() + "$" + parts[k]);
            if (c == null) continue;
            if (k == parts.length) {
                if (set(link, "field")) return constant(c, "INSTANCE");
                return invoke(c.getDeclaredConstructors(), null, link, c.getSimpleName());
            }
            if (k + 1 < parts.length) throw new Cannot("nothing is named " + name);
            return of(c, parts[k], link);
        }
        Class<?> c = file.isEmpty() ? null : found((pkg.isEmpty() ? "" : pkg + ".") + file);
        if (c == null || parts.length > 1) throw new Cannot("nothing is named " + name);
        return of(c, name, link);
    }

    /** Of calls what a class has without an object. */
    static Object of(Class<?> c, String name, Map<String, Object> link) throws Throwable {
        if (set(link, "field")) return constant(c, name);
        Executable[] all = methods(c, name, true);
        if (all.length > 0) return invoke(all, null, link, name);
        for (String object : List.of("INSTANCE", "Companion")) { // Kotlin
            Field f = field(c, object);
            if (f != null && Modifier.isStatic(f.getModifiers())) return invoke(methods(f.getType(), name, false), f.get(null), link, name);
        }
        throw new Cannot(c.getSimpleName() + " has no " + name);
    }

    static Object constant(Class<?> c, String name) throws Throwable {
        Field f = field(c, name);
        if (f == null || !Modifier.isStatic(f.getModifiers())) throw new Cannot(c.getSimpleName() + " has no " + name);
        return f.get(null);
    }

    static Object step(Object at, Map<String, Object> link) throws Throwable {
        String name = text(link, "name");
        if (link.get("index") instanceof Map<?, ?> index) {
            if (at instanceof Map<?, ?> m) return m.get(plain(index));
            int i = (Integer) number(text(index, "text"), Integer.class, new int[1]);
            return at instanceof List<?> l ? l.get(i) : Array.get(at, i);
        }
        if (name.isEmpty()) throw new Cannot("what it gives is no function that can be called by itself");
        if (at == null) throw new NullPointerException(name);
        if (set(link, "field")) return read(at, name);
        return invoke(methods(at.getClass(), name, false), at, link, name);
    }

    static Object read(Object at, String name) throws Throwable {
        if (at.getClass().isArray() && name.equals("length")) return Array.getLength(at);
        String upper = name.substring(0, 1).toUpperCase(Locale.ROOT) + name.substring(1);
        for (String getter : List.of(name, "get" + upper, "is" + upper)) {
            for (Executable m : methods(at.getClass(), getter, false)) {
                if (m.getParameterCount() == 0) return run(m, at);
            }
        }
        Field f = field(at.getClass(), name);
        if (f == null) throw new Cannot(at.getClass().getSimpleName() + " has no " + name);
        return f.get(at);
    }

    static Class<?> found(String name) {
        try {
            return Class.forName(name);
        } catch (ClassNotFoundException | LinkageError e) {
            return null;
        }
    }

    static Executable[] methods(Class<?> c, String name, boolean alone) {
        List<Executable> out = new ArrayList<>();
        for (Class<?> k = c; k != null; k = k.getSuperclass()) {
            for (Method m : k.getDeclaredMethods()) {
                if (m.getName().equals(name) && !m.isBridge() && (!alone || Modifier.isStatic(m.getModifiers())) && !Modifier.isPrivate(m.getModifiers())) out.add(m);
            }
        }
        for (Method m : c.getMethods()) {
            if (m.getName().equals(name) && !alone && m.getDeclaringClass().isInterface()) out.add(m);
        }
        return out.toArray(new Executable[0]);
    }

    static Field field(Class<?> c, String name) {
        for (Class<?> k = c; k != null; k = k.getSuperclass()) {
            try {
                Field f = k.getDeclaredField(name);
                f.setAccessible(true);
                return f;
            } catch (NoSuchFieldException | RuntimeException e) {
                continue;
            }
        }
        return null;
    }

    /** Invoke calls the one of some methods or constructors that fits the arguments best. */
    static Object invoke(Executable[] all, Object at, Map<String, Object> link, String name) throws Throwable {
        List<?> values = list(link, "args");
        Executable best = null;
        Object[] in = null;
        int cost = Integer.MAX_VALUE;
        String why = "it has no " + name;
        for (Executable m : all) {
            int[] sum = {0};
            try {
                Object[] args = arguments(m, values, sum);
                if (sum[0] < cost) {
                    best = m;
                    in = args;
                    cost = sum[0];
                }
            } catch (Cannot e) {
                why = "it cannot be called like this: " + e.getMessage();
            }
        }
        if (best == null) throw new Cannot(why);
        List<Object> literals = new ArrayList<>();
        for (int i = 0; i < Math.min(in.length, values.size()); i++) {
            if (!"call".equals(text((Map<?, ?>) values.get(i), "kind"))) literals.add(in[i]);
        }
        String before = json(shown(literals, 0));
        for (Object x : in) containers(x, taken, 0);
        Object result = run(best, at, in);
        changed |= !json(shown(literals, 0)).equals(before);
        return result;
    }

    static Object run(Executable m, Object at, Object... in) throws Throwable {
        try {
            m.setAccessible(true);
        } catch (RuntimeException e) { // of the JDK: it is public
        }
        try {
            return m instanceof Constructor<?> c ? c.newInstance(in) : ((Method) m).invoke(at, in);
        } catch (InvocationTargetException e) {
            throw e.getCause();
        } catch (IllegalAccessException | InstantiationException e) {
            if (m instanceof Method own) { // by an interface that is public
                for (Class<?> i : all(own.getDeclaringClass())) {
                    try {
                        return i.getMethod(own.getName(), own.getParameterTypes()).invoke(at, in);
                    } catch (NoSuchMethodException | IllegalAccessException x) {
                        continue;
                    } catch (InvocationTargetException x) {
                        throw x.getCause();
                    }
                }
            }
            throw new Cannot(String.valueOf(e.getMessage()));
        }
    }

    static Set<Class<?>> all(Class<?> c) {
        Set<Class<?>> out = new LinkedHashSet<>();
        for (; c != null; c = c.getSuperclass()) {
            for (Class<?> i : c.getInterfaces()) {
                out.add(i);
                out.addAll(all(i));
            }
        }
        return out;
    }

    static Object[] arguments(Executable m, List<?> values, int[] cost) throws Throwable {
        Type[] types = m.getGenericParameterTypes();
        if (types.length != m.getParameterCount()) types = m.getParameterTypes();
        int n = types.length;
        if (values.size() == n) {
            try {
                Object[] out = new Object[n];
                for (int i = 0; i < n; i++) out[i] = as((Map<?, ?>) values.get(i), types[i], cost);
                return out;
            } catch (Cannot e) {
                if (!m.isVarArgs()) throw e;
            }
        }
        if (!m.isVarArgs() || values.size() < n - 1) throw new Cannot("another number of arguments");
        Object[] out = new Object[n];
        for (int i = 0; i < n - 1; i++) out[i] = as((Map<?, ?>) values.get(i), types[i], cost);
        Class<?> element = raw(types[n - 1]).getComponentType();
        Object rest = Array.newInstance(element, values.size() - n + 1);
        for (int i = n - 1; i < values.size(); i++) Array.set(rest, i - n + 1, as((Map<?, ?>) values.get(i), element, cost));
        out[n - 1] = rest;
        cost[0] += 10;
        return out;
    }

    static Class<?> raw(Type t) {
        if (t instanceof Class<?> c) return c;
        if (t instanceof ParameterizedType p) return raw(p.getRawType());
        if (t instanceof GenericArrayType a) return Array.newInstance(raw(a.getGenericComponentType()), 0).getClass();
        if (t instanceof WildcardType w) return raw(w.getUpperBounds()[0]);
        if (t instanceof TypeVariable<?> v) return raw(v.getBounds()[0]);
        return Object.class;
    }

    static Type inner(Type t, int i) {
        return t instanceof ParameterizedType p ? p.getActualTypeArguments()[i] : Object.class;
    }

    static final Map<Class<?>, Class<?>> BOXED = Map.of(int.class, Integer.class, long.class, Long.class, short.class, Short.class, byte.class, Byte.class,
            double.class, Double.class, float.class, Float.class, boolean.class, Boolean.class, char.class, Character.class);

    /** As is a literal as a value of a type; cost says how far it is from what anybody would take. */
    @SuppressWarnings({"unchecked", "rawtypes"})
    static Object as(Map<?, ?> v, Type type, int[] cost) throws Throwable {
        Class<?> t = raw(type);
        boolean primitive = t.isPrimitive();
        t = BOXED.getOrDefault(t, t);
        String kind = text(v, "kind"), s = text(v, "text");
        if (kind.equals("call")) {
            Object x = chain(links(v.get("call")));
            if (x != null && t == Optional.class && !(x instanceof Optional)) return Optional.of(x);
            if (x == null && primitive || x != null && !t.isInstance(x)) throw new Cannot("an argument is no " + t.getSimpleName());
            return x;
        }
        if (t == Optional.class) return kind.equals("null") ? Optional.empty() : Optional.of(as(v, inner(type, 0), cost));
        if (kind.equals("null") && !primitive) return null;
        if (t == Object.class || t == Comparable.class || t == Number.class && kind.equals("number")) {
            cost[0] += 5;
            return plain(v);
        }
        switch (kind) {
            case "bool":
                if (t == Boolean.class) return s.equals("true");
                break;
            case "number":
                return number(s, t, cost);
            case "string":
                if (t == String.class) return s;
                if (t == CharSequence.class) {
                    cost[0]++;
                    return s;
                }
                if (t == Character.class && s.length() == 1) return s.charAt(0);
                if (t.isEnum()) {
                    cost[0]++;
                    for (Object c : t.getEnumConstants()) if (((Enum<?>) c).name().equals(s)) return c;
                }
                if (t == BigDecimal.class || t == BigInteger.class) {
                    cost[0]++;
                    return number(s, t, cost);
                }
                break;
            case "list":
                List<?> list = list(v, "list");
                if (t.isArray()) {
                    Type element = type instanceof GenericArrayType a ? a.getGenericComponentType() : t.getComponentType();
                    Object out = Array.newInstance(t.getComponentType(), list.size());
                    for (int i = 0; i < list.size(); i++) Array.set(out, i, as((Map<?, ?>) list.get(i), element, cost));
                    return out;
                }
                Collection out = t.isAssignableFrom(ArrayList.class) ? new ArrayList() : t.isAssignableFrom(LinkedHashSet.class) ? new LinkedHashSet()
                        : t.isAssignableFrom(TreeSet.class) ? new TreeSet() : t.isAssignableFrom(ArrayDeque.class) ? new ArrayDeque() : null;
                if (out == null) break;
                for (Object x : list) out.add(as((Map<?, ?>) x, inner(type, 0), cost));
                return out;
            case "object":
                if (t.isAssignableFrom(LinkedHashMap.class) || t.isAssignableFrom(TreeMap.class)) {
                    Map map = t.isAssignableFrom(LinkedHashMap.class) ? new LinkedHashMap() : new TreeMap();
                    for (Object f : list(v, "fields")) {
                        Map<?, ?> field = (Map<?, ?>) f;
                        Class<?> key = raw(inner(type, 0));
                        String as = Number.class.isAssignableFrom(key) || set(field, "number") ? "number" : "string";
                        map.put(as(Map.of("kind", as, "text", text(field, "name")), inner(type, 0), cost), as((Map<?, ?>) field.get("value"), inner(type, 1), cost));
                    }
                    return map;
                }
                if (t.isRecord()) return record(v, t, cost);
                break;
            default:
        }
        throw new Cannot("a " + kind + " is no " + t.getSimpleName());
    }

    static Object record(Map<?, ?> v, Class<?> t, int[] cost) throws Throwable {
        RecordComponent[] parts = t.getRecordComponents();
        Object[] in = new Object[parts.length];
        Class<?>[] types = new Class<?>[parts.length];
        for (int i = 0; i < parts.length; i++) {
            types[i] = parts[i].getType();
            String name = parts[i].getName();
            Object value = list(v, "fields").stream().filter(f -> text((Map<?, ?>) f, "name").equals(name)).map(f -> ((Map<?, ?>) f).get("value")).findFirst()
                    .orElseThrow(() -> new Cannot("no field " + name));
            in[i] = as((Map<?, ?>) value, parts[i].getGenericType(), cost);
        }
        return run(t.getDeclaredConstructor(types), null, in);
    }

    static Object number(String s, Class<?> t, int[] cost) {
        try {
            BigDecimal n = new BigDecimal(s.equals("") ? "0" : s);
            boolean whole = n.stripTrailingZeros().scale() <= 0 && !s.contains(".");
            if (t == Integer.class) return n.intValueExact();
            if (t == Long.class) return n.longValueExact();
            if (t == Short.class) return n.shortValueExact();
            if (t == Byte.class) return n.byteValueExact();
            if (whole) cost[0] += 2;
            if (t == Double.class) return n.doubleValue();
            if (t == Float.class) return n.floatValue();
            cost[0]++;
            if (t == BigDecimal.class) return n;
            if (t == BigInteger.class) return n.toBigIntegerExact();
        } catch (ArithmeticException | NumberFormatException e) {
            throw new Cannot(s + " is no " + t.getSimpleName());
        }
        throw new Cannot("a number is no " + t.getSimpleName());
    }

    static Object plain(Map<?, ?> v) throws Throwable {
        String s = text(v, "text");
        switch (text(v, "kind")) {
            case "bool":
                return s.equals("true");
            case "number":
                BigDecimal n = new BigDecimal(s);
                if (s.contains(".") || n.scale() > 0) return n.doubleValue();
                return n.compareTo(BigDecimal.valueOf(n.intValue())) == 0 ? (Object) n.intValue() : (Object) n.longValue();
            case "string":
                return s;
            case "list":
                List<Object> out = new ArrayList<>();
                for (Object x : list(v, "list")) out.add(plain((Map<?, ?>) x));
                return out;
            case "object":
                Map<String, Object> map = new LinkedHashMap<>();
                for (Object f : list(v, "fields")) map.put(text((Map<?, ?>) f, "name"), plain((Map<?, ?>) ((Map<?, ?>) f).get("value")));
                return map;
            default:
                return null;
        }
    }

    static void containers(Object v, Set<Object> into, int depth) {
        if (v == null || depth > 6 || into.contains(v)) return;
        boolean array = v.getClass().isArray();
        if (v instanceof Collection || v instanceof Map || array) {
            if (v.getClass().getName().contains("Immutable")) return;
            into.add(v);
        }
        Collection<?> inside = v instanceof Collection<?> c ? c : v instanceof Map<?, ?> m ? m.values() : v instanceof Object[] a ? Arrays.asList(a) : List.of();
        for (Object x : inside) containers(x, into, depth + 1);
    }

    static Object shown(Object v, int depth) throws Throwable {
        if (v == null || v instanceof String || v instanceof Boolean || v instanceof Integer || v instanceof Long || v instanceof Short || v instanceof Byte) return v;
        if (v instanceof Character) return v.toString();
        if (v instanceof Double || v instanceof Float) {
            double d = ((Number) v).doubleValue();
            if (Double.isFinite(d)) return v instanceof Float ? Double.valueOf(v.toString()) : v;
            return typed("float", v.toString());
        }
        if (depth > 20) return typed(v.getClass().getSimpleName(), "...");
        if (v instanceof Optional<?> o) return shown(o.orElse(null), depth);
        if (v instanceof BaseStream<?, ?> s) return shown(s.iterator(), depth);
        if (v instanceof Iterator<?> i) {
            List<Object> out = new ArrayList<>();
            while (i.hasNext() && out.size() < 10000) out.add(shown(i.next(), depth + 1));
            return out;
        }
        if (v.getClass().isArray()) {
            List<Object> out = new ArrayList<>();
            for (int i = 0; i < Array.getLength(v); i++) out.add(shown(Array.get(v, i), depth + 1));
            return out;
        }
        if (v instanceof Collection<?> c) {
            List<Object> out = new ArrayList<>();
            for (Object x : c) out.add(shown(x, depth + 1));
            if (v instanceof Set && !(v instanceof SortedSet) && !(v instanceof LinkedHashSet)) out.sort(Comparator.comparing(Call::json));
            return out;
        }
        if (v instanceof Map<?, ?> m) {
            Map<String, Object> out = new LinkedHashMap<>();
            for (Map.Entry<?, ?> e : m.entrySet()) out.put(String.valueOf(e.getKey()), shown(e.getValue(), depth + 1));
            return out;
        }
        Map<String, Object> out = typed(v.getClass().getSimpleName(), String.valueOf(v));
        if (v instanceof Enum<?> e) {
            out.put("$name", e.name());
            return out;
        }
        Map<String, Object> fields = new LinkedHashMap<>();
        for (Class<?> k = v.getClass(); k != null && !k.getName().startsWith("java."); k = k.getSuperclass()) {
            for (Field f : k.getDeclaredFields()) {
                if (Modifier.isStatic(f.getModifiers()) || f.isSynthetic()) continue;
                f.setAccessible(true);
                fields.putIfAbsent(f.getName(), shown(f.get(v), depth + 1));
            }
        }
        out.put("$fields", fields);
        if (v instanceof Record) out.put("$order", new ArrayList<>(fields.values()));
        return out;
    }

    static Map<String, Object> typed(String type, String text) {
        Map<String, Object> out = new LinkedHashMap<>();
        out.put("$type", type);
        out.put("$text", text);
        return out;
    }

    static String json(Object v) {
        if (v instanceof String s) {
            StringBuilder b = new StringBuilder("\"");
            for (char c : s.toCharArray()) {
                if (c == '"' || c == '\\') b.append('\\').append(c);
                else if (c < 32 || c >= 127) b.append(String.format("\\u%04x", (int) c));
                else b.append(c);
            }
            return b.append('"').toString();
        }
        if (v instanceof List<?> l) return l.stream().map(Call::json).collect(Collectors.joining(",", "[", "]"));
        if (v instanceof Map<?, ?> m) return m.entrySet().stream().map(e -> json(String.valueOf(e.getKey())) + ":" + json(e.getValue())).collect(Collectors.joining(",", "{", "}"));
        return String.valueOf(v);
    }

    /** Json reads what Jacquard has written. */
    static class Json {
        final String s;
        int i;

        Json(String s) {
            this.s = s;
        }

        char next() {
            while (Character.isWhitespace(s.charAt(i))) i++;
            return s.charAt(i);
        }

        Object value() {
            char c = next();
            if (c == '"') return string();
            if (c == '[') {
                List<Object> out = new ArrayList<>();
                for (i++; next() != ']'; ) {
                    if (next() == ',') i++;
                    out.add(value());
                }
                i++;
                return out;
            }
            if (c == '{') {
                Map<String, Object> out = new LinkedHashMap<>();
                for (i++; next() != '}'; ) {
                    if (next() == ',') i++;
                    next();
                    String key = string();
                    next();
                    i++;
                    out.put(key, value());
                }
                i++;
                return out;
            }
            int from = i;
            while ("truefalsn-+.eE0123456789u".indexOf(s.charAt(i)) >= 0) i++;
            String word = s.substring(from, i);
            return switch (word) {
                case "true" -> true;
                case "false" -> false;
                case "null" -> null;
                default -> new BigDecimal(word);
            };
        }

        String string() {
            StringBuilder b = new StringBuilder();
            for (i++; s.charAt(i) != '"'; i++) {
                char c = s.charAt(i);
                if (c == '\\') {
                    c = s.charAt(++i);
                    switch (c) {
                        case 'n' -> b.append('\n');
                        case 't' -> b.append('\t');
                        case 'r' -> b.append('\r');
                        case 'b' -> b.append('\b');
                        case 'f' -> b.append('\f');
                        case 'u' -> {
                            b.append((char) Integer.parseInt(s.substring(i + 1, i + 5), 16));
                            i += 4;
                        }
                        default -> b.append(c);
                    }
                } else {
                    b.append(c);
                }
            }
            i++;
            return b.toString();
        }
    }
}
