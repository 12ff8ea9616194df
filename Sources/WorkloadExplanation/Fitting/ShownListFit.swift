import CacheModel
import Workloads

/// The lists as shown of a recorded app, which say what they contain, but not why.
///
/// In the scenario an entity is in the lists of the subjects that a field refers to: of as many as make lists
/// as long as the recorded ones.
struct ShownListFit {
  /// The names of fields that stand for the reason: entities are in more lists than the one that the field
  /// refers to, it never changes, and no other query uses it.
  private let fields: [String]
  private let workload: Workload
  private let counts: [Int]
  /// The mean number of rows of each type in the lists that may contain it; `nil`: no result is known.
  private let rows: [Double?]
  /// The reads with a known result, by shape, and the number of rows of all.
  private let reads: [Int]
  private let recordedRows: Int

  /// - Parameters:
  ///   - recorded: the recording, with the results of its reads.
  ///   - workload: the same, completed.
  init(_ recorded: Workload, _ workload: Workload) {
    let (model, catalog) = (recorded.model, recorded.catalog)
    var reads = model.shapes.map { _ in 0 }
    var sums = model.types.map { _ in (reads: 0, rows: 0) }
    for (client, script) in recorded.clients.enumerated() {
      for (number, action) in script.actions.enumerated() {
        let asked: UInt32? =
          switch action.kind {
          case .read(let query), .observe(let query): query
          case .redraw, .unobserve, .tag, .open, .write, .maintenance: nil
          }
        guard let asked,
          let result = recorded.observedResults[ObservedRead(client: client, action: number)]
        else { continue }
        let place = Int(recorded.queries[Int(asked)].kind.rawValue) - 1
        guard model.shapes[place].isAsShown else { continue }
        reads[place] += 1
        for type in model.shapes[place].types { sums[type].reads += 1 }
        for state in result {
          let object = Int(catalog.revisions[Int(state)].object)
          sums[Int(catalog.objects[object].type.rawValue) - 1].rows += 1
        }
      }
    }
    self.workload = workload
    self.reads = reads
    rows = sums.map { $0.reads > 0 ? Double($0.rows) / Double($0.reads) : nil }
    recordedRows = sums.reduce(0) { $0 + $1.rows }
    counts = workload.initialCounts
    var (candidates, others): ([String], [String]) = ([], [])
    for (place, shape) in workload.model.shapes.enumerated() {
      for field in Self.subjectFields(of: shape) {
        if !model.shapes[place].isAsShown {
          others.append(field)
        } else if reads[place] > 0, !candidates.contains(field) {
          candidates.append(field)
        }
      }
    }
    let (rows, counts) = (rows, counts)
    fields = candidates.filter { name in
      !others.contains(name) && Self.isConstant(name, in: workload)
        && workload.model.types.enumerated().contains { place, type in
          guard case .one(let subject, _, _)? = type.field(named: name)?.content,
            let rows = rows[place]
          else { return false }
          // Of few subjects a list of references holds less than one: at most about a quarter of them.
          let lists = min(rows / Double(max(1, counts[place])), 0.25) * Double(counts[subject])
          return lists > 1.1
        }
    }
  }

  private static func subjectFields(of shape: QueryShape) -> [String] {
    shape.conditions.compactMap { condition in
      if case .isSubject(let member) = condition { member.name } else { nil }
    }
  }

  /// Returns whether a field refers to one entity in each type that has it, always to the same.
  private static func isConstant(_ name: String, in workload: Workload) -> Bool {
    let catalog = workload.catalog
    let slots = workload.model.types.map { type -> Int? in
      guard let field = type.field(named: name) else { return nil }
      guard case .one(_, _, false) = field.content else { return -1 }
      return field.slot
    }
    guard !slots.contains(-1) else { return false }
    var words = [UInt64?](repeating: nil, count: catalog.objects.count)
    for (state, revision) in catalog.revisions.enumerated() {
      let object = Int(revision.object)
      guard let slot = slots[Int(catalog.objects[object].type.rawValue) - 1] else { continue }
      let word = catalog.values[Int(catalog.valueStarts[state]) + slot]
      guard words[object] == nil || words[object] == word else { return false }
      words[object] = word
    }
    return true
  }

  /// Whether a field stands for the reason why entities are in lists.
  func isReason(_ field: String) -> Bool { fields.contains(field) }

  /// Whether no row of another list leads to a query, since the reason for its rows is not recorded.
  func isShown(_ shape: QueryShape) -> Bool {
    Self.subjectFields(of: shape).contains(where: isReason)
  }

  /// Returns the declaration of such a field; `nil` for another one.
  func text(of field: ModelField, ofType type: Int) -> String? {
    guard isReason(field.name), case .one(let subject, _, _) = field.content else { return nil }
    let name = workload.model.types[subject].name
    let mean = FittedText.count(
      min(draws(ofType: type, subject), 1_000), Plural.of(name))
    return "{many: \(name), mean: \(mean)}"
  }

  /// How many draws of a subject give as many different ones as a type's lists are long, or the most that a
  /// scenario may declare.
  private func draws(ofType type: Int, _ subject: Int) -> Double {
    let wanted = min(memberships(ofType: type, subject), Double(counts[subject]))
    var (low, high) = (0.0, 1_000.0)
    for _ in 0..<30 {
      let middle = (low + high) / 2
      let kept = ZipfEstimate.distinct(ofDraws: middle, .uniform, among: counts[subject])
      let isAccepted = kept > 1.01 * ZipfEstimate.leastShareKept * middle
      if kept < wanted, isAccepted { low = middle } else { high = middle }
    }
    return low
  }

  /// Returns in how many subjects' lists an entity of a type is.
  private func memberships(ofType type: Int, _ subject: Int) -> Double {
    guard let rows = rows[type], counts[type] > 0 else { return 1 }
    return rows * Double(counts[subject]) / Double(counts[type])
  }

  /// Says how lists differ in length from the recorded ones, by more than a tenth; `nil`: they do not.
  var caution: String? {
    let all = reads.reduce(0, +)
    guard all > 0 else { return nil }
    let recorded = Double(recordedRows) / Double(all)
    var drawn = 0.0
    for (place, count) in reads.enumerated() where count > 0 {
      let shape = workload.model.shapes[place]
      let length = shape.types.reduce(0.0) { sum, type in
        guard let subject = shape.subjectType else { return sum + Double(counts[type]) }
        let lists =
          isShown(shape)
          ? ZipfEstimate.distinct(
            ofDraws: draws(ofType: type, subject), .uniform, among: counts[subject]) : 1
        return sum + lists * Double(counts[type]) / Double(max(1, counts[subject]))
      }
      drawn += length * Double(count)
    }
    drawn /= Double(all)
    guard abs(drawn - recorded) > recorded / 10 else { return nil }
    return
      "Rows of a list: recorded \(FittedText.number(recorded)) on average; in this file about "
      + "\(FittedText.number(drawn)), by the references that are recorded. Bytes, memory and what limits "
      + "are worth differ accordingly."
  }
}

extension Workload {
  /// The number of entities of each type at the beginning.
  var initialCounts: [Int] {
    var counts = model.types.map { _ in 0 }
    for revision in catalog.revisions.prefix(catalog.initialCount) {
      counts[Int(catalog.objects[Int(revision.object)].type.rawValue) - 1] += 1
    }
    return counts
  }
}
