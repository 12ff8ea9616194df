import CacheFiles
import CacheModel
import CacheSimulation
import Workloads

/// A folder of files that outlives processes, and refuses what the script says.
///
/// An operation takes effect when its shell says that it has ended: the end of the process before that leaves
/// the older file, as a draft that was never renamed does.
final class VirtualFolder<Content: Sendable> {
  private struct Entry {
    var file: StoredFile
    var content: Content
  }

  private var entries: [Entry?] = []
  private var placeOfName: [FileName: Int] = [:]
  private var vacated: [Int] = []
  private var lastNumber: UInt64 = 0
  private let refusals: [StorageRefusal]

  /// The bytes of all files.
  private(set) var bytes = 0
  var files: Int { placeOfName.count }
  /// Files that were written.
  private(set) var writes = 0

  init(_ refusals: [StorageRefusal] = []) {
    self.refusals = refusals
  }

  /// Why nothing can be written now; `nil`: it can.
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

  /// Reads a file; `use` is noted as the time of its last use, where it is given.
  func read(_ name: FileName, use: Instant?) -> (file: StoredFile, content: Content)? {
    guard let place = placeOfName[name] else { return nil }
    if let use { entries[place]?.file.used = use }
    return entries[place].map { ($0.file, $0.content) }
  }

  /// Writes a file, instead of an older one of its name.
  func write(_ name: FileName, _ content: Content, bytes size: Int, date: Instant) -> StoredFile {
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

extension FileName {
  /// Names the file of a simulated query or entity: distinct, and spread like a digest.
  ///
  /// Apps name files by SHA-256, which no simulation needs.
  init(_ target: CacheReply.Target) {
    let (label, number): (StaticString, UInt64) =
      switch target {
      case .query(let query): ("query", UInt64(query))
      case .object(let object): ("object", UInt64(object))
      }
    var source = RandomSource(seed: number).substream(label)
    var words = (0..<3).map { _ in source.next() }
    // What tells two numbers apart, of one kind, whatever was drawn.
    words.append(number)
    self.init(
      digest: words.flatMap { word in (0..<8).map { UInt8(truncatingIfNeeded: word >> (8 * $0)) } })
  }
}
