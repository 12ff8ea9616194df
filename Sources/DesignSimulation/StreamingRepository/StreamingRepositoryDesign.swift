import CacheModel
import CacheSimulation
import StreamingRepositoryCore
import Workloads

extension SimulatedDesign {
  static let streamingRepository = SimulatedDesign(preset: .streamingRepository) {
    settings, input in
    // By the client's index; used for look-ups only.
    var tables: [Int: VirtualTables] = [:]
    return { launch throws(CacheFault) in
      if launch.at == .zero || tables[launch.place] == nil {
        tables[launch.place] = VirtualTables(
          input, refusals: input.workload.clients[launch.place].storageFaults,
          limit: settings.diskBytes)
      }
      guard let tables = tables[launch.place] else { preconditionFailure("they were just made") }
      do throws(RepositoryError) {
        return try RepositoryUnderTest(RepositoryOptions(settings), settings, input, tables)
      } catch {
        throw CacheFault(.notStarted, "\(error)")
      }
    }
  }
}

extension RepositoryOptions {
  /// Creates the options of a streaming repository from a scenario.
  init(_ settings: DesignSettings) {
    self.init()
    let triggers: [(String, RepositoryTrigger)] = [
      ("first-view", .firstView), ("foreground", .foreground), ("after-change", .change),
    ]
    for (field, trigger) in triggers where !settings.isSet(field) {
      self.triggers.remove(trigger)
    }
    foregroundInterval = settings.duration("foreground-interval") ?? .zero
    interval = settings.duration("refresh-interval")
    writeMode = settings.word("write") == "replace" ? .replace : .upsertOnly
    rewritesUnchangedRows = settings.isSet("rewrite-unchanged")
  }
}

/// The file of a repository, which persists across processes: a table for each answered request.
///
/// An operation is applied when its shell reports its end, atomically, and fails if the script says so.
final class VirtualTables {
  typealias Key = CacheReply.Target

  /// The additional memory of a row, for its collection and its index entry.
  ///
  /// Measured in a file of the library: 50 to 100 bytes for rows of 120 and 400.
  private static let rowOverhead = 80

  /// No state.
  private static let none = UInt32.max

  private let input: DesignInput
  private let refusals: [StorageRefusal]
  private let limit: Int?
  /// Used for look-ups only.
  private var rows: [Key: [UInt32]] = [:]
  /// By object: how many tables have the whole of it, and the state that was written last.
  private var holders: [(count: Int32, state: UInt32)]
  /// By object: its state in the table that is being written; empty in between.
  private var stored: [UInt32]
  private(set) var bytes = 0
  private(set) var rowWrites = 0

  init(_ input: DesignInput, refusals: [StorageRefusal], limit: Int?) {
    self.input = input
    self.refusals = refusals
    self.limit = limit
    holders = Array(repeating: (0, 0), count: input.workload.catalog.objects.count)
    stored = Array(repeating: Self.none, count: holders.count)
  }

  /// The states of a table, in the order of its query; `nil`: it was never written.
  subscript(key: Key) -> [UInt32]? { rows[key] }

  /// The state of an entity, in whichever table; `nil`: none has it.
  func state(of object: UInt32) -> UInt32? {
    guard holders.indices.contains(Int(object)), holders[Int(object)].count > 0 else { return nil }
    return holders[Int(object)].state
  }

  /// Returns the reason why a write fails now; `nil`: it succeeds.
  func failure(at now: Instant) -> RepositoryError? {
    guard let refusal = refusals.first(where: { $0.during.contains(now) }) else { return nil }
    return switch refusal.fault {
    case .full: .full(path: "")
    case .locked: .locked(path: "")
    case .corrupt: .damaged(path: "")
    case .readOnly: .readOnly(path: "")
    case .failed: .file(path: "", "the disk has failed")
    }
  }

  /// Writes an answer to a table, in one transaction.
  func write(
    _ states: [UInt32], to key: Key, _ options: RepositoryOptions
  ) -> Result<RowCounts, RepositoryError> {
    let before = rows[key] ?? []
    for state in before { stored[Int(input.object(of: state))] = state }
    var counts = RowCounts()
    for state in states {
      let object = Int(input.object(of: state))
      switch stored[object] {
      case state: counts.unchanged += 1
      case Self.none: counts.inserted += 1
      default: counts.updated += 1
      }
      stored[object] = Self.none
    }
    let gone = before.filter { stored[Int(input.object(of: $0))] != Self.none }
    for state in gone { stored[Int(input.object(of: state))] = Self.none }
    let isReplacing = options.writeMode == .replace
    let after = isReplacing ? states : states + gone
    let grown = size(of: after) - size(of: before)
    if let limit, grown > 0, bytes + grown > limit { return .failure(.full(path: "")) }
    if isReplacing { counts.deleted = gone.count }
    if options.rewritesUnchangedRows { counts.rewritten = counts.unchanged }
    bytes += grown
    rowWrites += counts.inserted + counts.updated + counts.deleted + counts.rewritten
    for state in before { release(state) }
    for state in after { hold(state) }
    rows[key] = after
    return .success(counts)
  }

  private func size(of states: [UInt32]) -> Int {
    input.bytes(of: states) + states.count * Self.rowOverhead
  }

  private func hold(_ state: UInt32) {
    guard !DesignInput.isPart(state) else { return }
    let object = Int(input.object(of: state))
    holders[object] = (holders[object].count + 1, state)
  }

  private func release(_ state: UInt32) {
    guard !DesignInput.isPart(state) else { return }
    holders[Int(input.object(of: state))].count -= 1
  }
}
