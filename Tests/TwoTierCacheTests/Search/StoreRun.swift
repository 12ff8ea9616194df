import CacheFiles
import CacheModel
import TwoTierCache

/// A store driven by a program, with an oracle.
///
/// Every value is a number that is set once, so a served value identifies its write.
struct StoreRun: ~Copyable {
  private typealias Store = TwoTierStore<Int, Int, Int>

  private struct Reading {
    var ticket: ReadTicket
    var key: Int
    var known: StoredFile?
    /// The last own change of the key when the reading began.
    var result: FileReading<Int>?
  }

  /// The oracle's knowledge of a value.
  private struct Written {
    var key: Int
    var date: Instant
    var isOwn: Bool
    /// When it came to lie in the file; `nil`: never yet.
    var placed: Int?
  }

  private let options: TwoTierOptions
  private let defect: PlantedTwoTierDefect?
  private var store: Store
  private var disk = ModelDisk()
  private var now = Instant(nanoseconds: 1_000_000_000_000)
  private var step = 0
  private var readings: [Reading] = []
  private var operation: DiskOperation<Int, Int>?
  private var result: DiskResult?
  /// By value.
  private var written: [Int: Written] = [:]
  private var lastValue = 0
  /// By key: the value of the last own write, 0 after a removal.
  private var lastOwn: [Int: Int] = [:]
  /// By key: when an operation for the last own change took effect, or any that removed the file.
  private var effects: [Int: Int] = [:]
  /// By key: when a sibling last wrote the file, in time.
  private var siblings: [Int: (value: Int, at: Instant)] = [:]
  private var damaged: Set<Int> = []
  private var reads = 0
  private(set) var failure: String?

  init(_ program: StoreProgram, defect: PlantedTwoTierDefect?) throws {
    options = program.options
    self.defect = defect
    store = try Store(options)
    store.planted.defect = defect
  }

  /// Runs a program to its end or to the first fault.
  static func failure(of program: StoreProgram, defect: PlantedTwoTierDefect?) throws -> String? {
    var run = try StoreRun(program, defect: defect)
    for step in program.steps {
      run.take(step)
      if let failure = run.failure { return "\(failure) at step \(run.step), \(step)" }
    }
    run.settle()
    return run.failure
  }

  private mutating func take(_ step: StoreStep) {
    self.step += 1
    switch step {
    case .read(let key): read(key)
    case .write(let key, let bytes): write(key, bytes)
    case .remove(let key):
      store.remove(key)
      lastOwn[key] = 0
      effects[key] = nil
    case .removeAll:
      store.removeAll()
      for key in ModelDisk.names.indices {
        lastOwn[key] = 0
        effects[key] = nil
      }
    case .look(let index): look(index)
    case .finishRead(let index): finishRead(index)
    case .effect(let fails): takeEffect(fails)
    case .finishOperation: finishOperation()
    case .sibling(let key):
      lastValue += 1
      written[lastValue] = Written(key: key, date: now, isOwn: false, placed: self.step)
      siblings[key] = (lastValue, now)
      damaged.remove(key)
      _ = disk.write(key, lastValue, bytes: 60, date: now, step: self.step)
    case .damage(let key):
      guard let file = disk.files[key] else { break }
      _ = disk.write(key, nil, bytes: file.stored.bytes, date: file.stored.written, step: self.step)
      damaged.insert(key)
    case .advance(let seconds): now = now.advanced(by: .seconds(seconds))
    case .restart: restart()
    }
    if failure == nil, let wrong = store.invariantFailure() { failure = wrong }
  }

  // MARK: The app

  private mutating func write(_ key: Int, _ bytes: Int) {
    lastValue += 1
    written[lastValue] = Written(key: key, date: now, isOwn: true)
    lastOwn[key] = lastValue
    effects[key] = nil
    store.write(
      key, lastValue, content: lastValue, bytes: bytes, fingerprint: UInt64(key), at: now)
  }

  private mutating func read(_ key: Int) {
    reads += 1
    switch store.read(key, at: now) {
    case .hit(let value): judge(value, of: key, isFile: false)
    case .miss: judgeMiss(of: key)
    case .join: break
    case .file(let ticket, let known):
      readings.append(Reading(ticket: ticket, key: key, known: known))
    }
  }

  // MARK: The files

  private mutating func look(_ index: Int) {
    guard readings.indices.contains(index), readings[index].result == nil else { return }
    let key = readings[index].key
    guard let file = disk.files[key] else {
      readings[index].result = .absent
      return
    }
    if let known = readings[index].known, file.stored.isUnchanged(since: known) {
      readings[index].result = .unchanged
    } else if let value = file.value {
      disk.use(key, at: now)
      readings[index].result = .found(value, bytes: 60, file.stored)
    } else {
      readings[index].result = .damaged(file.stored)
    }
  }

  private mutating func finishRead(_ index: Int) {
    guard readings.indices.contains(index), let result = readings[index].result else { return }
    let reading = readings.remove(at: index)
    let finished = store.finishRead(
      reading.ticket, result, fingerprint: UInt64(reading.key), at: now)
    switch finished {
    case .hit(let value): judge(value, of: reading.key, isFile: true)
    case .miss: break
    case .again: read(reading.key)
    }
  }

  private mutating func takeEffect(_ fails: FileFailure.Kind?) {
    if operation == nil { operation = store.nextOperation(at: now) }
    guard let operation, result == nil else { return }
    if let fails {
      result = .failed(FileFailure(kind: fails, call: "test"))
      return
    }
    result = .done
    switch operation {
    case .open: break
    case .write(let key, let value, let date):
      damaged.remove(key)
      siblings[key] = nil
      written[value]?.placed = step
      if lastOwn[key] == value { effects[key] = step }
      result = .written(disk.write(key, value, bytes: 60, date: date, step: step))
    case .remove(let key):
      damaged.remove(key)
      siblings[key] = nil
      disk.remove(key)
      // Of the last own change, unless a newer one waits.
      effects[key] = step
    case .list: result = .listed(disk.list)
    case .delete(let files): for file in files { disk.remove(file) }
    case .deleteAll:
      disk.removeAll()
      damaged = []
      siblings = [:]
      for key in ModelDisk.names.indices where lastOwn[key] == 0 { effects[key] = step }
    }
  }

  private mutating func finishOperation() {
    guard let finished = result else { return }
    (operation, result) = (nil, nil)
    store.finishOperation(finished, at: now)
  }

  /// The process ends, and another begins: what waited is lost.
  private mutating func restart() {
    guard let next = try? Store(options) else { return }
    store = next
    store.planted.defect = defect
    (readings, operation, result, reads) = ([], nil, nil, 0)
    (lastOwn, effects) = ([:], [:])
  }

  // MARK: The oracle

  private func isAged(_ value: Int) -> Bool {
    guard let age = options.age, let date = written[value]?.date else { return false }
    return date.duration(to: now) > age
  }

  private mutating func judge(_ value: Int, of key: Int, isFile: Bool) {
    guard let told = written[value], told.key == key else {
      failure = "key \(key) serves \(value), which is not its own"
      return
    }
    if isAged(value) { failure = "\(value) is served past its age" }
    if let own = lastOwn[key], own != value {
      // Older than the last own change: only a file that was written after that may be served.
      let effect = effects[key]
      if told.isOwn {
        failure = "\(value) is served after \(own)"
      } else if effect == nil || (told.placed ?? 0) <= effect ?? 0 {
        failure = "\(value) of a sibling is served, which \(own) replaces"
      }
    }
    guard let sibling = siblings[key], sibling.value != value, store.disk != .unavailable,
      let lifetime = options.memoryLifetime, !isFile, !damaged.contains(key), !isWaiting(key)
    else { return }
    if sibling.at.duration(to: now) > lifetime {
      failure = "\(value) is served, a lifetime after a sibling wrote \(sibling.value)"
    }
  }

  /// Whether the last own change has not come to the files.
  private func isWaiting(_ key: Int) -> Bool {
    switch operation {
    case .write(key, _, _)?, .remove(key)?: return true
    default: break
    }
    guard let own = lastOwn[key] else { return false }
    return effects[key] == nil && (own == 0 || written[own]?.placed == nil)
  }

  /// A miss without a look at a file: nothing may be there.
  private mutating func judgeMiss(of key: Int) {
    guard store.disk == .available, let own = lastOwn[key], own > 0, !isAged(own),
      effects[key] != nil, disk.files[key]?.value == own, !isBusy
    else { return }
    failure = "\(own) is missed, though its file is there"
  }

  /// Whether all files are about to go.
  private var isBusy: Bool { if case .deleteAll? = operation { true } else { false } }

  /// Lets everything end, and checks the remaining state.
  private mutating func settle() {
    step += 1
    while !readings.isEmpty {
      look(0)
      finishRead(0)
      if failure != nil { return }
    }
    // A waiting value may be past its age once it is written.
    drain()
    store.cleanUp()
    drain()
    guard store.isIdle || store.disk == .unavailable else {
      failure = "the store never comes to rest"
      return
    }
    guard store.disk == .available else { return }
    for key in ModelDisk.names.indices {
      if let value = disk.files[key]?.value, let own = lastOwn[key], written[value]?.isOwn == true,
        value != own
      {
        failure = "the file of \(key) holds \(value), the last write was \(own)"
      }
    }
    if let limit = options.diskBytes, disk.list.reduce(0, { $0 + $1.bytes }) > limit {
      failure = "the files take more than \(limit) bytes"
    }
    if let age = options.age, disk.list.contains(where: { $0.written.duration(to: now) > age }) {
      failure = "a file past its age stays"
    }
    settleDamage()
  }

  /// Lets another process find the damage.
  private mutating func settleDamage() {
    restart()
    drain()
    for key in ModelDisk.names.indices {
      read(key)
      while !readings.isEmpty {
        look(0)
        finishRead(0)
        if failure != nil { return }
      }
    }
    drain()
    if disk.files.values.contains(where: { $0.value == nil }) {
      failure = "a damaged file stays"
    }
  }

  private mutating func drain() {
    for _ in 0..<1_000 {
      takeEffect(nil)
      finishOperation()
    }
  }
}
