package import CacheModel
package import Foundation

#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// A folder of cached files, each written atomically.
///
/// A file is written under a draft's name and renamed, so a reader sees the old content or the new, even if
/// the writer is killed. A lock, which ends with its process, distinguishes abandoned drafts from current
/// ones; ``removeOrphans()`` deletes the former. Several processes may use one folder. All calls block.
package struct FileFolder: Sendable {
  package let path: String
  /// Opens a draft for writing; tests replace it to inject failures.
  package var opensDraft: @Sendable (_ path: String) -> Int32 = {
    open($0, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
  }

  private static let draftPrefix = "draft-"

  package init(path: String) {
    self.path = path
  }

  func path(of name: FileName) -> String { "\(path)/\(name)" }

  /// Creates the folder and its parents, if necessary.
  package func create() throws(FileFailure) {
    // The system would end the path there, and create another folder.
    guard !path.utf8.contains(0) else {
      throw FileFailure(kind: .refused, call: "mkdir", code: EINVAL)
    }
    try Self.create(path)
  }

  private static func create(_ path: String) throws(FileFailure) {
    guard mkdir(path, 0o700) != 0 else { return }
    switch errno {
    case EEXIST:
      var status = stat()
      guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFDIR else {
        throw FileFailure(kind: .refused, call: "mkdir", code: ENOTDIR)
      }
    case ENOENT:
      guard let end = path.lastIndex(of: "/"), end > path.startIndex else {
        throw FileFailure.last("mkdir")
      }
      try create(String(path[..<end]))
      guard mkdir(path, 0o700) == 0 || errno == EEXIST else { throw FileFailure.last("mkdir") }
    default: throw FileFailure.last("mkdir")
    }
  }

  // MARK: Writing

  /// Writes a file, replacing the one with its name.
  ///
  /// Recreates the folder if it has been removed.
  ///
  /// - Parameters:
  ///   - parts: the content, in several parts.
  ///   - name: the file's name.
  ///   - date: its date.
  ///   - synchronizes: whether it must survive a power failure, which waits for the disk.
  /// - Returns: the written file.
  /// - Throws: a failure, after which the file is unchanged.
  package func write(
    _ parts: [Data], to name: FileName, date: Instant, synchronizes: Bool
  ) throws(FileFailure) -> StoredFile {
    for _ in 0..<3 {
      do {
        return try writeOnce(parts, to: name, date: date, synchronizes: synchronizes)
      } catch  where error.kind == .absent {
        // The folder was removed, or the draft was deleted as an orphan before it was locked.
        try create()
      }
    }
    throw FileFailure(kind: .refused, call: "rename", code: ENOENT)
  }

  private func writeOnce(
    _ parts: [Data], to name: FileName, date: Instant, synchronizes: Bool
  ) throws(FileFailure) -> StoredFile {
    let draft = "\(path)/\(Self.draftPrefix)\(String(UInt64.random(in: .min ... .max), radix: 16))"
    let file = opensDraft(draft)
    guard file >= 0 else { throw FileFailure.last("open") }
    defer { close(file) }
    do throws(FileFailure) {
      // No other process has it; a file system without locks has no other processes.
      _ = flock(file, LOCK_EX | LOCK_NB)
      for part in parts { try Self.write(part, to: file) }
      try Self.setTimes(of: file, used: date, written: date)
      if synchronizes { try Self.synchronize(file) }
      let status = try Self.status(of: file)
      guard rename(draft, path(of: name)) == 0 else { throw FileFailure.last("rename") }
      if synchronizes { synchronizeFolder() }
      return Self.file(name, status)
    } catch {
      unlink(draft)
      throw error
    }
  }

  private static func write(_ data: Data, to file: Int32) throws(FileFailure) {
    var done = 0
    while done < data.count {
      let count = data.withUnsafeBytes { bytes in
        bytes.baseAddress.map {
          systemWrite(file, $0 + done, bytes.count - done)
        } ?? 0
      }
      if count < 0 {
        if errno == EINTR { continue }
        throw FileFailure.last("write")
      }
      done += count
    }
  }

  // MARK: Reading

  /// Reads a file.
  ///
  /// - Parameters:
  ///   - name: the file's name.
  ///   - header: the number of bytes at its beginning to return separately.
  ///   - limit: its maximum size in bytes.
  ///   - use: the time of day to record as its last use; `nil`: none.
  /// - Returns: its complete content.
  /// - Throws: a failure; the file is unchanged.
  package func read(
    _ name: FileName, header: Int, atMost limit: Int, use: Instant? = nil
  ) throws(FileFailure) -> FileContent {
    let file = open(path(of: name), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
    guard file >= 0 else { throw FileFailure.reading("open") }
    defer { close(file) }
    let status = try Self.status(of: file)
    guard status.st_mode & S_IFMT == S_IFREG else {
      throw FileFailure(kind: .damaged, call: "it is no file")
    }
    guard Int(status.st_size) <= limit else {
      throw FileFailure(kind: .damaged, call: "it has \(status.st_size) bytes of \(limit) allowed")
    }
    let headerBytes = min(header, Int(status.st_size))
    let head = try Self.read(headerBytes, from: file)
    let body = try Self.read(Int(status.st_size) - headerBytes, from: file)
    // Last, since reading sets it too. A reader without permission to set it has read nevertheless.
    if let use { try? Self.setTimes(of: file, used: use, written: nil) }
    return FileContent(header: [UInt8](head), body: body, file: Self.file(name, status))
  }

  private static func read(_ count: Int, from file: Int32) throws(FileFailure) -> Data {
    guard count > 0 else { return Data() }
    guard let memory = malloc(count) else {
      throw FileFailure(kind: .transient, call: "malloc", code: ENOMEM)
    }
    var done = 0
    while done < count {
      let more = systemRead(file, memory + done, count - done)
      if more < 0 && errno == EINTR { continue }
      guard more > 0 else {
        let failure =
          more == 0
          ? FileFailure(kind: .damaged, call: "it ends too early") : FileFailure.last("read")
        free(memory)
        throw failure
      }
      done += more
    }
    return Data(bytesNoCopy: memory, count: count, deallocator: .free)
  }

  /// Returns a file's attributes without reading it.
  package func look(at name: FileName) throws(FileFailure) -> StoredFile {
    var status = stat()
    guard lstat(path(of: name), &status) == 0 else { throw FileFailure.reading("lstat") }
    return Self.file(name, status)
  }

  // MARK: Removing

  /// Removes a file; a missing one is not a failure.
  package func remove(_ name: FileName) throws(FileFailure) {
    let path = path(of: name)
    guard unlink(path) != 0, errno != ENOENT else { return }
    let failure = FileFailure.last("unlink")
    var status = stat()
    // A folder in its place does not belong to the cache, but blocks it.
    guard lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFDIR,
      (try? FileManager.default.removeItem(atPath: path)) != nil
    else { throw failure }
  }

  /// Removes a file unless it has been written since it was found.
  ///
  /// Between the check and the removal another process may still write it, and that content is lost.
  package func remove(_ file: StoredFile) throws(FileFailure) -> Bool {
    guard let present = try? look(at: file.name), present.isUnchanged(since: file) else {
      return false
    }
    try remove(file.name)
    return true
  }

  /// Removes abandoned drafts.
  @discardableResult package func removeOrphans() throws(FileFailure) -> Int {
    var removed = 0
    for name in try names() where name.hasPrefix(Self.draftPrefix) {
      let draft = "\(path)/\(name)"
      let file = open(draft, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
      guard file >= 0 else { continue }
      defer { close(file) }
      if flock(file, LOCK_EX | LOCK_NB) == 0, unlink(draft) == 0 { removed += 1 }
    }
    return removed
  }

  // MARK: Listing

  /// Returns the cache's files in no particular order; files with other names are left out.
  package func list() throws(FileFailure) -> [StoredFile] {
    try names().compactMap { name in
      // A file that was removed meanwhile is skipped.
      FileName(found: name).flatMap { try? look(at: $0) }
    }
  }

  private func names() throws(FileFailure) -> [String] {
    guard let folder = opendir(path) else { throw FileFailure.last("opendir") }
    defer { closedir(folder) }
    var names: [String] = []
    while let entry = readdir(folder) {
      names.append(
        withUnsafePointer(to: &entry.pointee.d_name) { name in
          name.withMemoryRebound(to: CChar.self, capacity: MemoryLayout.size(ofValue: name.pointee))
          { String(cString: $0) }
        })
    }
    return names
  }
}
