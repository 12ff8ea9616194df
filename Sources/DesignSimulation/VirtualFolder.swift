import CacheFiles
import CacheModel

/// A folder of files that persists across processes, with failures as in the script.
///
/// An operation is applied when its shell reports its end: if the process ends before, the older file
/// remains, as with a temporary file that was never renamed.
final class VirtualFolder {
  private struct Entry {
    var file: StoredFile
    var content: StoredRows
  }

  private var entries: [Entry?] = []
  private var placeOfName: [FileName: Int] = [:]
  private var vacated: [Int] = []
  private var lastNumber: UInt64 = 0
  private let refusals: [StorageRefusal]

  private(set) var bytes = 0
  var files: Int { placeOfName.count }
  private(set) var writes = 0

  init(_ refusals: [StorageRefusal] = []) {
    self.refusals = refusals
  }

  /// Returns the reason why a write fails now; `nil`: it succeeds.
  func failure(at now: Instant) -> FileFailure? {
    guard let refusal = refusals.first(where: { $0.during.contains(now) }) else { return nil }
    let kind: FileFailure.Kind =
      switch refusal.fault {
      case .full: .noSpace
      case .locked, .failed: .transient
      case .corrupt: .damaged
      case .readOnly: .refused
      }
    return FileFailure(kind: kind, call: "write")
  }

  func look(at name: FileName) -> StoredFile? {
    placeOfName[name].flatMap { entries[$0]?.file }
  }

  /// Reads a file; notes `use` as the time of its last use, if given.
  func read(_ name: FileName, use: Instant?) -> (file: StoredFile, content: StoredRows)? {
    guard let place = placeOfName[name] else { return nil }
    if let use { entries[place]?.file.used = use }
    return entries[place].map { ($0.file, $0.content) }
  }

  /// Writes a file, replacing an older one with its name.
  func write(_ name: FileName, _ content: StoredRows, bytes size: Int, date: Instant) -> StoredFile
  {
    remove(name)
    lastNumber += 1
    let file = StoredFile(name: name, bytes: size, written: date, used: date, number: lastNumber)
    let place = vacated.popLast() ?? entries.endIndex
    if place == entries.endIndex { entries.append(nil) }
    entries[place] = Entry(file: file, content: content)
    placeOfName[name] = place
    bytes += size
    writes += 1
    return file
  }

  func remove(_ name: FileName) {
    guard let place = placeOfName.removeValue(forKey: name), let entry = entries[place] else {
      return
    }
    entries[place] = nil
    vacated.append(place)
    bytes -= entry.file.bytes
  }

  /// Removes a file, unless it has been written since.
  func remove(_ file: StoredFile) {
    guard let present = look(at: file.name), present.isUnchanged(since: file) else { return }
    remove(file.name)
  }

  func removeAll() {
    entries = []
    placeOfName = [:]
    vacated = []
    bytes = 0
  }

  var list: [StoredFile] { entries.compactMap { $0?.file } }
}
