import CacheFiles
import CacheModel
import CacheTestSupport
import FileHashing
import Foundation
import Testing

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

@Suite("A folder of cached files")
struct FileFolderTests {
  private let base: CacheFolder
  private let folder: FileFolder
  private let name = FileName(hashing: "a")
  private let noon = Instant(nanoseconds: 1_700_000_000_123_456_789)

  init() throws {
    base = try CacheFolder()
    folder = FileFolder(path: base.url.appendingPathComponent("deep/down").path)
  }

  private func write(_ text: String, date: Instant? = nil) throws -> StoredFile {
    try folder.write(
      [Data("head".utf8), Data(text.utf8)], to: name, date: date ?? noon, synchronizes: true)
  }

  @Test("A written file is read back, with its date to the nanosecond; the folder is created")
  func roundTrip() throws {
    for text in ["", "x", String(repeating: "long ", count: 100_000)] {
      let written = try write(text)
      let content = try folder.read(name, header: 4, atMost: 1_000_000)
      #expect(content.header == Array("head".utf8))
      #expect(content.body == Data(text.utf8))
      #expect(content.body.startIndex == 0)
      #expect(content.file.isUnchanged(since: written))
      #expect(written.written == noon)
      #expect(written.bytes == text.utf8.count + 4)
    }
    #expect(base.files == ["deep/down/\(name)"])
  }

  @Test("Dates before 1970 too")
  func earlyDate() throws {
    let early = Instant(nanoseconds: -1_500_000_001)
    #expect(try write("x", date: early).written == early)
  }

  @Test("A read notes its use, and the file counts as unchanged")
  func notesUse() throws {
    let written = try write("x")
    let later = noon.advanced(by: .seconds(60))
    _ = try folder.read(name, header: 0, atMost: 100, use: later)
    let found = try #require(try folder.list().first)
    #expect(found.used == later)
    #expect(found.isUnchanged(since: written))
  }

  @Test("Missing, not a file and too large are distinct errors")
  func failures() throws {
    #expect(throws: FileFailure(kind: .absent, call: "open", code: ENOENT)) {
      try folder.read(name, header: 0, atMost: 9)
    }
    _ = try write("more than nine")
    #expect(kind { _ = try folder.read(name, header: 0, atMost: 9) } == .damaged)
    try folder.remove(name)
    let path = "\(folder.path)/\(name)"
    #expect(symlink("/etc/hostname", path) == 0)
    #expect(kind { _ = try folder.read(name, header: 0, atMost: 9) } == .damaged)
    try folder.remove(name)
    #expect(mkdir(path, 0o700) == 0)
    #expect(kind { _ = try folder.read(name, header: 0, atMost: 9) } == .damaged)
    // A folder in the way of a file is removed, and whatever is in it.
    #expect(FileManager.default.createFile(atPath: path + "/inner", contents: nil))
    try folder.remove(name)
    #expect(base.files == [])
    try folder.remove(name)
  }

  @Test("A file instead of the folder, and a full disk, are reported")
  func noPlace() throws {
    let file = base.url.appendingPathComponent("file").path
    #expect(FileManager.default.createFile(atPath: file, contents: nil))
    let below = FileFolder(path: file + "/below")
    #expect(kind { try below.create() } == .refused)
    #expect(kind { try FileFolder(path: file).create() } == .refused)
    #expect(
      kind { _ = try below.write([], to: name, date: noon, synchronizes: false) } == .refused)
    #if os(Linux)
      let old = try write("old")
      var full = folder
      full.opensDraft = { _ in open("/dev/full", O_WRONLY) }
      #expect(
        kind { _ = try full.write([Data("new".utf8)], to: name, date: noon, synchronizes: false) }
          == .noSpace)
      #expect(try folder.look(at: name).isUnchanged(since: old))
    #endif
  }

  @Test("Drafts that are no longer written are removed, others are not")
  func orphans() throws {
    try folder.create()
    let dead = folder.path + "/draft-dead"
    let alive = folder.path + "/draft-alive"
    for path in [dead, alive] {
      #expect(FileManager.default.createFile(atPath: path, contents: Data("x".utf8)))
    }
    let writer = open(alive, O_WRONLY | O_CLOEXEC)
    defer { close(writer) }
    #expect(flock(writer, LOCK_EX) == 0)
    #expect(try folder.removeOrphans() == 1)
    #expect(base.files == ["deep/down/draft-alive"])
  }

  @Test("A file written after it was found stays")
  func removesUnchangedOnly() throws {
    let old = try write("old")
    let new = try write("new", date: noon.advanced(by: .seconds(1)))
    #expect(try !folder.remove(old))
    #expect(try folder.remove(new))
    #expect(try folder.list() == [])
  }

  private func kind(_ body: () throws -> Void) -> FileFailure.Kind? {
    do {
      try body()
      return nil
    } catch {
      return (error as? FileFailure)?.kind
    }
  }

  @Test("A folder is locked for one, until its lock goes")
  func lock() throws {
    #expect(throws: FileFailure.self) { try folder.lock() }
    try folder.create()
    var first = try folder.lock()
    #expect(first != nil)
    #expect(try folder.lock() == nil)
    first = nil
    #expect(try folder.lock() != nil)
    #expect(try folder.list().isEmpty)
    #expect(folder.freeBytes ?? 0 > 0)
  }
}
