//! Bounded cache with least-recently-used eviction.
//!
//! The text `pub fn evict_all(&mut self)` in this comment declares nothing.

use std::borrow::Borrow;
use std::collections::{HashMap, VecDeque};
use std::hash::{BuildHasher, Hash};

/// Capacity of caches that nobody has configured.
pub const DEFAULT_CAPACITY: usize = 1 << 10;

/* pub const OLD_CAPACITY: usize = 64; /* nested: pub fn ghost() {} */ pub struct StillComment; */

pub static BANNER: &str = r#"pub fn fake() -> "quoted" { "#;

/// What happened to an entry on its way out.
#[derive(Debug, Clone, PartialEq)]
pub enum Eviction<K, V> {
    /// The cache was full.
    Capacity { key: K, value: V },
    #[allow(dead_code)]
    Replaced(Vec<(K, V)>), // pub fn in_a_comment(
    Nothing
}

pub struct LruCache<K, V, S = std::collections::hash_map::RandomState>
where
    K: Eq + Hash
{
    pub hits: u64,
    order: VecDeque<K>,
    pub misses: u64,
    map: HashMap<K, V, S>,
    on_evict: Option<Box<dyn FnMut(&K, V) -> bool + Send>>
}

impl<K, V, S> LruCache<K, V, S>
where
    K: Eq + Hash + Clone,
    S: BuildHasher,
{
    /// Creates an empty cache.
    ///
    /// # Panics
    ///
    /// If `capacity` is zero or exceeds
    /// the limit of the platform.
    #[must_use = "a cache (any cache) is useless unless it is kept"]
    pub fn with_hasher(capacity: usize, hasher: S) -> Self {
        assert!(capacity > 0, "capacity ({}) must be > {}", capacity, 0);
        if capacity > isize::MAX as usize / 2 {
            panic!("too large: {capacity}");
        }
        let map = HashMap::with_capacity_and_hasher(capacity, hasher);
        LruCache { hits: 0, order: VecDeque::new(), misses: 0, map, on_evict: None }
    }

    /// Looks a value up.
    pub fn get<Q>(&mut self, key: &Q) -> Option<&V>
    where
        K: Borrow<Q>,
        Q: Hash + Eq + ?Sized
    {
        match self.map.get(key) {
            Some(v) => { self.hits += 1; Some(v) }
            None => { self.misses += 1; None }
        }
    }

    pub(crate) fn touch(&mut self, key: &K) {
        self.order.push_back(key.clone());
    }

    fn evict(&mut self) -> Option<K> { self.order.pop_front() }

    /// Keeps what `keep` approves.
    ///
    /// Returns: the number of entries that are gone.
    pub fn retain<F: for<'a> FnMut(&'a K, &mut V) -> bool>(&mut self, mut keep: F) -> usize {
        let before = self.map.len();
        self.map.retain(|k, v| keep(k, v) || { let open = '{'; open == '}' });
        before - self.map.len()
    }
}

impl<K: Eq + Hash, V, S> Drop for LruCache<K, V, S> {
    /// Errors: this is no method of the type itself.
    fn drop(&mut self) { self.order.clear(); }
}
