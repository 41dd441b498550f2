//! 복구 테스트: #[test] fn in_inner_doc() {}

use std::io::{Cursor, Write};
use std::collections::BTreeMap as Index;
use walrus::{Log, Options, record::{Record, RecordKind as Kind}};

mod common;

/* #[test] fn commented() { /* #[test] fn twice() {} */ } */

const SCRIPT: &str = r#"
    #[test]
    fn in_raw_string() { "}" }
"#;

struct Fixture<'a> {
    log: Log<Cursor<&'a mut Vec<u8>>>,
    index: Index<u64, Kind>,
}

impl<'a> Fixture<'a> {
    fn new(bytes: &'a mut Vec<u8>) -> Self {
        assert!(bytes.is_empty(), "fresh (empty) buffer");
        Fixture { log: Log::open(Cursor::new(bytes), Options::default()).unwrap(), index: Index::new() }
    }

    fn test_append(&mut self, text: &str) { writeln!(self.log, "{{{text}}}").unwrap(); }
}

#[test]
fn empty_log_recovers() {
    let mut bytes = Vec::new();
    let fixture = Fixture::new(&mut bytes);
    assert_eq!(fixture.log.iter().count(), 0, "#[test] fn x() {{}}");
}

#[test]
#[should_panic(expected = "torn } record (at 7)")]
fn torn_record_panics() {
    let mut bytes = Vec::new();
    Fixture::new(&mut bytes).test_append(SCRIPT);
}

// #[test]
fn quote_without_attribute() -> char { '"' }

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn concurrent_writers_keep_order() -> Result<(), Box<dyn std::error::Error>> {
    let quote = quote_without_attribute();
    #[allow(unused)]
    fn test_local(c: char) -> bool { c == '\'' }
    tokio::spawn(async move { test_local(quote) }).await?;
    Ok(())
}

#[cfg(test)]
fn only_configured() {}

mod truncated {
    use super::{Fixture, common::bytes_of};

    /// Runs `#[test]` twice.
    #[test]
    fn keeps_what_is_whole() {
        let mut bytes = bytes_of("a");
        let _ = Fixture::new(&mut bytes).index.len();
    }

    pub mod header {
        #[ignore = "slow, (needs 4 GiB)"]
        #[test]
        fn is_checked_first() { let _life: &'static str = "fn no() {"; }

        #[async_std::test]
        async fn is_read_lazily() {}
    }

    #[test]
    fn reports_what_is_lost() {}
}

#[cfg(unix)] #[test] fn permissions_survive() { assert_ne!(b'{', b'}'); }
