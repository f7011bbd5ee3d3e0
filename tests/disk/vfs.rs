//! A file system for SQLite in front of the machine's own: it tells a [`Disk`] of every change, and
//! fails where the disk says so.

use std::ffi::{CStr, OsStr, c_char, c_int, c_void};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::ptr;
use std::sync::{Arc, Once, OnceLock};

use rusqlite::ffi;

use crate::medium::{Disk, Kind, Operation};

/// The machine's own file system for SQLite. It lives as long as the program.
#[derive(Debug, Clone, Copy)]
struct Machine(*mut ffi::sqlite3_vfs);

// SAFETY: SQLite itself uses it from all threads; nothing writes to it after its registration.
unsafe impl Send for Machine {}
// SAFETY: as above.
unsafe impl Sync for Machine {}

static MACHINE: OnceLock<Machine> = OnceLock::new();

/// A file that SQLite has open. The machine's own file follows it in the same memory, whose size is
/// `szOsFile`.
#[repr(C)]
struct File {
    base: ffi::sqlite3_file,
    watch: *mut Watch,
}

/// Where a file is, and on which disk. Files that are on none are not watched.
struct Watch {
    path: PathBuf,
    kind: Kind,
    disk: Arc<Disk>,
}

static METHODS: ffi::sqlite3_io_methods = ffi::sqlite3_io_methods {
    iVersion: 2,
    xClose: Some(close),
    xRead: Some(read),
    xWrite: Some(write),
    xTruncate: Some(truncate),
    xSync: Some(sync),
    xFileSize: Some(file_size),
    xLock: Some(lock),
    xUnlock: Some(unlock),
    xCheckReservedLock: Some(check_reserved_lock),
    xFileControl: Some(file_control),
    xSectorSize: Some(sector_size),
    xDeviceCharacteristics: Some(device_characteristics),
    xShmMap: Some(shm_map),
    xShmLock: Some(shm_lock),
    xShmBarrier: Some(shm_barrier),
    xShmUnmap: Some(shm_unmap),
    // No memory maps: every change goes through the methods above.
    xFetch: None,
    xUnfetch: None,
};

/// Makes it the file system of every connection of this program that is opened from now on.
pub(crate) fn install() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        // SAFETY: SQLite's own file system is there once it is initialised, and lives as long as
        // the program; so does ours, which is leaked.
        unsafe {
            assert_eq!(ffi::sqlite3_initialize(), ffi::SQLITE_OK);
            let machine = ffi::sqlite3_vfs_find(ptr::null());
            MACHINE.set(Machine(machine)).expect("once");
            let mut ours = *machine;
            ours.zName = c"shop-disk".as_ptr();
            ours.pNext = ptr::null_mut();
            let size = size_of::<File>() + usize::try_from((*machine).szOsFile).expect("a size");
            ours.szOsFile = c_int::try_from(size).expect("a size");
            ours.xOpen = Some(open);
            ours.xDelete = Some(delete);
            let ours = Box::leak(Box::new(ours));
            assert_eq!(ffi::sqlite3_vfs_register(ours, 1), ffi::SQLITE_OK);
        }
    });
}

fn machine() -> *mut ffi::sqlite3_vfs {
    MACHINE.get().expect("installed").0
}

/// The machine's own file behind ours.
unsafe fn real(file: *mut ffi::sqlite3_file) -> *mut ffi::sqlite3_file {
    // SAFETY: the memory that SQLite gave is as large as `szOsFile` says.
    unsafe { file.cast::<File>().add(1).cast() }
}

unsafe fn watch<'f>(file: *mut ffi::sqlite3_file) -> Option<&'f Watch> {
    // SAFETY: `open` set it, and `close` takes it back last.
    unsafe { (*file.cast::<File>()).watch.as_ref() }
}

/// What the disk says to it, or that there is none.
unsafe fn admitted(file: *mut ffi::sqlite3_file, operation: Operation) -> Result<(), c_int> {
    // SAFETY: as the caller's.
    unsafe { watch(file) }.map_or(Ok(()), |it| it.disk.admits(it.kind, operation))
}

fn code(outcome: Result<(), c_int>, then: impl FnOnce() -> c_int) -> c_int {
    outcome.map_or_else(|code| code, |()| then())
}

fn path_of(name: *const c_char) -> Option<PathBuf> {
    if name.is_null() {
        return None;
    }
    // SAFETY: SQLite's names end with a zero.
    let name = unsafe { CStr::from_ptr(name) };
    Some(Path::new(OsStr::from_bytes(name.to_bytes())).to_owned())
}

fn kind_of(flags: c_int) -> Kind {
    match flags {
        _ if flags & ffi::SQLITE_OPEN_MAIN_DB != 0 => Kind::Database,
        _ if flags & ffi::SQLITE_OPEN_WAL != 0 => Kind::Log,
        _ => Kind::Other,
    }
}

unsafe extern "C" fn open(
    _: *mut ffi::sqlite3_vfs,
    name: ffi::sqlite3_filename,
    file: *mut ffi::sqlite3_file,
    flags: c_int,
    out: *mut c_int,
) -> c_int {
    let path = path_of(name);
    let found = path.and_then(|path| Some((Disk::under(&path)?, path)));
    let watch = found.map(|(disk, path)| Watch { path, kind: kind_of(flags), disk });
    // SAFETY: SQLite's own memory and arguments; without methods it does not call `close`.
    unsafe {
        (*file).pMethods = ptr::null();
        if let Some(it) = &watch {
            if let Err(code) = it.disk.admits(it.kind, Operation::Open) {
                return code;
            }
            it.disk.opened(&it.path);
        }
        let opened = (*machine()).xOpen.expect("opens")(machine(), name, real(file), flags, out);
        if opened == ffi::SQLITE_OK {
            let watch = watch.map_or(ptr::null_mut(), |it| Box::into_raw(Box::new(it)));
            (*file.cast::<File>()).watch = watch;
            (*file).pMethods = &raw const METHODS;
        }
        opened
    }
}

unsafe extern "C" fn delete(
    _: *mut ffi::sqlite3_vfs,
    name: *const c_char,
    sync_folder: c_int,
) -> c_int {
    let disk = path_of(name).and_then(|path| Some((Disk::under(&path)?, path)));
    let asked = disk.map_or(Ok(()), |(disk, path)| {
        disk.admits(Kind::Log, Operation::Delete)?;
        if path.exists() { disk.deleted(&path, sync_folder != 0) } else { Ok(()) }
    });
    // SAFETY: SQLite's own arguments.
    code(asked, || unsafe { (*machine()).xDelete.expect("deletes")(machine(), name, sync_folder) })
}

unsafe extern "C" fn close(file: *mut ffi::sqlite3_file) -> c_int {
    // SAFETY: the file is open; SQLite does not use it any more.
    unsafe {
        let watch = (*file.cast::<File>()).watch;
        if !watch.is_null() {
            drop(Box::from_raw(watch));
        }
        let real = real(file);
        (*(*real).pMethods).xClose.expect("closes")(real)
    }
}

unsafe extern "C" fn write(
    file: *mut ffi::sqlite3_file,
    bytes: *const c_void,
    length: c_int,
    at: i64,
) -> c_int {
    // SAFETY: the file is open, and the bytes are as many as SQLite says.
    unsafe {
        let asked = admitted(file, Operation::Write).and_then(|()| {
            let Some(it) = watch(file) else { return Ok(()) };
            let count = usize::try_from(length).expect("a length");
            let bytes = std::slice::from_raw_parts(bytes.cast::<u8>(), count);
            it.disk.wrote(&it.path, usize::try_from(at).expect("a place"), bytes)
        });
        let real = real(file);
        code(asked, || (*(*real).pMethods).xWrite.expect("writes")(real, bytes, length, at))
    }
}

unsafe extern "C" fn truncate(file: *mut ffi::sqlite3_file, length: i64) -> c_int {
    // SAFETY: the file is open.
    unsafe {
        let asked = admitted(file, Operation::Truncate).and_then(|()| {
            let Some(it) = watch(file) else { return Ok(()) };
            it.disk.truncated(&it.path, usize::try_from(length).expect("a length"))
        });
        let real = real(file);
        code(asked, || (*(*real).pMethods).xTruncate.expect("truncates")(real, length))
    }
}

unsafe extern "C" fn sync(file: *mut ffi::sqlite3_file, _: c_int) -> c_int {
    // SAFETY: the file is open. The machine's own disk need not be synced: nobody cuts its power.
    unsafe {
        let asked = admitted(file, Operation::Sync).and_then(|()| {
            let Some(it) = watch(file) else { return Ok(()) };
            it.disk.synced(&it.path)
        });
        code(asked, || ffi::SQLITE_OK)
    }
}

/// Methods that are the machine's own, unless the disk refuses what they are for.
macro_rules! forwarded {
    ($($name:ident: $method:ident ($($arg:ident: $type:ty),*) $(when $operation:ident)?;)+) => {$(
        unsafe extern "C" fn $name(file: *mut ffi::sqlite3_file, $($arg: $type),*) -> c_int {
            // SAFETY: the file is open, and the arguments are SQLite's own.
            unsafe {
                let asked: Result<(), c_int> = Ok(());
                $(let asked = asked.and(admitted(file, Operation::$operation));)?
                let real = real(file);
                code(asked, || (*(*real).pMethods).$method.expect("a method")(real, $($arg),*))
            }
        }
    )+};
}

forwarded! {
    read: xRead(to: *mut c_void, length: c_int, at: i64) when Read;
    file_size: xFileSize(size: *mut i64);
    lock: xLock(level: c_int);
    unlock: xUnlock(level: c_int);
    check_reserved_lock: xCheckReservedLock(out: *mut c_int);
    file_control: xFileControl(what: c_int, with: *mut c_void);
    sector_size: xSectorSize();
    device_characteristics: xDeviceCharacteristics();
    shm_map: xShmMap(part: c_int, size: c_int, extend: c_int, at: *mut *mut c_void) when Map;
    shm_lock: xShmLock(from: c_int, count: c_int, flags: c_int);
    shm_unmap: xShmUnmap(delete: c_int);
}

unsafe extern "C" fn shm_barrier(file: *mut ffi::sqlite3_file) {
    // SAFETY: the file is open.
    unsafe {
        let real = real(file);
        (*(*real).pMethods).xShmBarrier.expect("a method")(real);
    }
}
