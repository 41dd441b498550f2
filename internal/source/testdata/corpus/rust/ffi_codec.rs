//! C interface of the frame codec.

use std::os::raw::{c_char, c_int, c_uchar as Byte};
use std::{ptr, slice};

#[link(name = "frames", kind = "static")]
extern "C" {
    fn frames_version() -> c_int;
    static frames_magic: [u8; 4];
}

pub static mut LAST_ERROR: c_int = { let open = b'{'; open as c_int };
pub const MAGIC: [u8; 2 + 2] = *b"}fn{";
const HIDDEN: &[u8] = br#"pub const FAKE: u8 = "1";"#;

/// Called for each frame.
pub type FrameCallback = Option<unsafe extern "C" fn(frame: *const Frame, user: *mut std::ffi::c_void) -> c_int>;

#[repr(C)]
#[derive(Clone, Copy)]
pub union Word { pub bytes: [u8; 4], pub number: u32 }

#[repr(C, align(8))]
pub struct Frame { pub kind: Byte, pub len: u32, pub data: *const u8 }

pub struct Handle(*mut Frame);

pub struct NotSend;

/// # Safety
///
/// The text of this section is no contract, as a trait is no function.
pub unsafe trait Pod: Copy + 'static {
    /// Views the value as bytes.
    ///
    /// # Safety
    ///
    /// - the value has no padding
    /// - nobody writes to it
    ///   in the meantime.
    unsafe fn as_bytes(&self) -> &[u8] {
        slice::from_raw_parts(self as *const Self as *const u8, std::mem::size_of::<Self>())
    }
}

unsafe impl Pod for Word {}

/// Decodes one frame.
///
/// # Safety
///
/// `data` points to at least `len` readable bytes.
///
/// # Errors
///
/// Gives a negative number if the frame is torn
///
/// # Notes
///
/// Nothing here is said of contracts.
#[no_mangle]
pub unsafe extern "C" fn codec_decode(data: *const c_char, len: usize, callback: FrameCallback) -> c_int {
    assert!(!data.is_null());
    assert_eq!(len % 4, 0, "len ({}) is not aligned", len);
    if len > MAGIC.len() * 1024 { panic!("too much }}") }
    let Some(call) = callback else { return -1 };
    call(ptr::null(), data as *mut _)
}

pub extern "C" fn codec_version() -> c_int { unsafe { frames_version() + frames_magic[0] as c_int } }

impl Handle {
    #[inline] pub const unsafe fn from_raw(raw: *mut Frame) -> Self { Handle(raw) }

    #[cfg(not(target_os = "none"))]
    pub(in crate::ffi) fn raw(&self) -> *mut Frame { self.0 }

    pub fn each<const N: usize>(&self, mut f: impl for<'b> FnMut(&'b [u8; N]) -> Result<(), &'static str>) -> bool
    where
        [u8; N]: Default
    {
        let filler = <[u8; N]>::default();
        (0..3).map(|i| if i > 1 { f(&filler) } else { Ok(()) }).all(|r: Result<(), _>| r.is_ok() && !HIDDEN.is_empty())
    }
}
