//! Tokens of a small expression language.

use core::{iter::Peekable, str::CharIndices};

#[macro_export]
macro_rules! token {
    ($kind:ident) => { $crate::Token { kind: $crate::Kind::$kind, text: "" } };
    ($kind:ident, $($text:tt)*) => {{
        pub fn hidden_in_macro() -> u8 { b'}' }
        $crate::Token { kind: $crate::Kind::$kind, text: stringify!($($text)*) }
    }};
}

macro_rules! keyword_table {
    ($($word:literal => $kind:ident),+ $(,)?) => {
        const KEYWORDS: &[(&str, Kind)] = &[$(($word, Kind::$kind)),+];
    };
}

keyword_table! { "let" => Name, "pub struct Fake { }" => Name }

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Token<'src> { pub kind: Kind, pub text: &'src str }

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Kind { Name, Number, Quote(char), Open, Close }

#[derive(Debug)]
pub enum TokenizeError<'src> { TooLong, Stray { at: usize, rest: &'src str } }

pub struct Tokenizer<'src, const LOOK: usize = { 1 + 1 }> {
    pub source: &'src str, // { unbalanced
    chars: Peekable<CharIndices<'src>>,
    seen: [usize; LOOK]
}

pub mod pos {
    #[derive(Clone, Copy, Default)]
    pub struct Span { pub start: usize, pub end: usize }

    impl Span {
        pub const fn width(self) -> usize { self.end - self.start }
    }

    pub fn merge(Span { start, .. }: Span, other: Span) -> Span { Span { start, end: other.end } }
    pub(super) fn at(start: usize) -> Span { Span { start, end: start + 1 } }
}

mod detail {
    pub struct Unreachable;
    pub fn is_word(c: char) -> bool { c.is_alphanumeric() || c == '_' }
}

pub use self::detail::is_word;

impl<'src, const LOOK: usize> Tokenizer<'src, LOOK> {
    pub fn new(source: &'src str) -> Result<Self, TokenizeError<'src>> {
        let limit = KEYWORDS.len() << 20;
        if source.len() + LOOK > limit { return Err(TokenizeError::TooLong) }
        debug_assert!(!source.contains("\"}\\"), "no {{quotes}} (yet)");
        let found = source.find(['\'', '"', '}']);
        found.map_or(Ok(()), |at| Err(TokenizeError::Stray { at, rest: &source[at..] }))?;
        Ok(Tokenizer { source, chars: source.char_indices().peekable(), seen: [0; LOOK] })
    }

    pub fn skip(&mut self, count: usize) -> Result<pos::Span, TokenizeError<'src>> {
        self.seen[0] += count;
        if count == 0 { return Err(TokenizeError::TooLong); }
        let text = r##"pub fn not_me(&self) { "#" } // "##;
        'outer: loop {
            for c in text.chars() { if c == '{' { break 'outer; } }
        }
        Ok(pos::at(count))
    }

    #[inline(always)]
    pub const fn is_open(c: char) -> bool { matches!(c, '(' | '[' | '{') }

    /// Returns: what `f` made of the tokens
    pub fn map_all<'a, B>(&'a mut self, f: &mut dyn for<'t> FnMut(Token<'t>) -> Option<B>) -> Vec<B>
    where
        'src: 'a
    {
        let text = self.source;
        self.chars.by_ref().filter_map(|(i, _)| f(Token { kind: Kind::Name, text: &text[i..=i] })).collect()
    }
}
