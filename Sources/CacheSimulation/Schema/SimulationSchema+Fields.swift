import CacheModel
import NormalizedCacheCore
import Workloads

/// How the schema reads the fields of a state, and tests them.
extension SimulationSchema.Tables {
  /// The word of a field, ordered as the field is.
  @inline(__always)
  private func word(_ slot: Int, _ revision: Int) -> UInt64 {
    values[Int(valueStarts[revision]) + slot]
  }

  /// Whether a state of a type is in a query, its cursor aside.
  func matches(_ revision: UInt32, _ type: ResourceType, _ predicate: QueryPredicate) -> Bool {
    let form = forms.forms[Int(predicate.form)]
    guard form.lists(type), holds(form.test, Int(revision), predicate) else { return false }
    guard form.rest.first < form.rest.end else { return true }
    return hold(form.rest, Int(revision), predicate)
  }

  private func hold(
    _ range: FieldTest.Range, _ revision: Int, _ predicate: QueryPredicate?
  ) -> Bool {
    for index in Int(range.first)..<Int(range.end)
    where !holds(forms.tests[index], revision, predicate) {
      return false
    }
    return true
  }

  @inline(__always)
  private func holds(_ test: FieldTest, _ revision: Int, _ predicate: QueryPredicate?) -> Bool {
    switch test {
    case .all: return true
    case .isSubject:
      let subject = predicate?.subject ?? Revision.noObject
      return revisions[revision].object == subject && subject != Revision.noObject
    case .refers(let slot):
      let subject = predicate?.subject ?? Revision.noObject
      return word(slot, revision) == UInt64(subject) && subject != Revision.noObject
    case .includes(let slot):
      guard let subject = predicate?.subject else { return false }
      for index in LabelRange(word: word(slot, revision)).indices where labels[index] == subject {
        return true
      }
      return false
    case .begins(let slot):
      guard let predicate else { return false }
      let name = word(slot, revision)
      return predicate.firstName <= name && name < predicate.endName
    case .isSet(let slot, let isSet): return (word(slot, revision) != 0) == isSet
    case .compares(let slot, let comparison, let constant):
      let number = OrderedWord.number(word(slot, revision))
      switch comparison {
      case .equal: return number == constant
      case .unequal: return number != constant
      case .atMost: return number <= constant
      case .atLeast: return number >= constant
      case .less: return number < constant
      case .greater: return number > constant
      }
    }
  }

  /// Whether one state comes before another; `nil` if their keys decide.
  @inline(__always)
  func precedes(_ lhs: UInt32, _ rhs: UInt32, _ predicate: QueryPredicate) -> Bool? {
    let form = forms.forms[Int(predicate.form)]
    guard let first = form.first else { return nil }
    return precedes(lhs, rhs, first.slot, isDescending: first.isDescending)
      ?? form.second.flatMap {
        precedes(lhs, rhs, $0.slot, isDescending: $0.isDescending)
      }
  }

  @inline(__always)
  private func precedes(
    _ lhs: UInt32, _ rhs: UInt32, _ slot: Int, isDescending: Bool
  ) -> Bool? {
    let column = columnStarts[slot]
    let (left, right) = (columns[column + Int(lhs)], columns[column + Int(rhs)])
    return left == right ? nil : isDescending ? left > right : left < right
  }

  func forEachScope(of state: UInt32, type: ResourceType, _ body: (QueryScope) -> Void) {
    let type = Int(type.rawValue)
    guard (1..<forms.firstListing.count).contains(type) else { return }
    let revision = Int(state)
    for index in forms.firstListing[type - 1]..<forms.firstListing[type] {
      let listing = forms.listings[index]
      switch listing.form {
      case .whole:
        guard isAsked(listing.kind, objects.count), hold(listing.tests, revision, nil) else {
          continue
        }
        body(QueryScope(kind: listing.kind))
      case .itself:
        let object = Int(revisions[revision].object)
        guard isAsked(listing.kind, object), hold(listing.tests, revision, nil) else { continue }
        body(QueryScope(kind: listing.kind, id: objects[object].id))
      case .reference(let slot):
        let object = UInt32(truncatingIfNeeded: word(slot, revision))
        guard object != Revision.noObject, isAsked(listing.kind, Int(object)),
          hold(listing.tests, revision, nil)
        else { continue }
        body(QueryScope(kind: listing.kind, id: objects[Int(object)].id))
      case .references(let slot, let first, let end):
        for label in LabelRange(word: word(slot, revision)).indices {
          let object = Int(labels[label])
          for group in Int(first)..<Int(end)
          where isAsked(forms.groups[group].kind, object)
            && forms.groups[group].subject == objects[object].type.rawValue
          {
            guard hold(forms.groups[group].tests, revision, nil) else { continue }
            body(QueryScope(kind: forms.groups[group].kind, id: objects[object].id))
          }
        }
      }
    }
  }

  @inline(__always)
  private func isAsked(_ kind: UInt16, _ subject: Int) -> Bool {
    asked.map { $0.has(kind, subject) } ?? true
  }

  /// Whether two states of a type are alike in their fields.
  func haveEqualValues(_ lhs: UInt32, _ rhs: UInt32) -> Bool {
    let type = objects[Int(revisions[Int(lhs)].object)].type
    guard type == objects[Int(revisions[Int(rhs)].object)].type else { return false }
    return model.types[Int(type.rawValue) - 1].fields.allSatisfy { areEqual($0, lhs, rhs) }
  }

  /// Whether two states of an object differ in a field that decides about its lists, or only a log has its
  /// lists.
  func mayMove(from former: UInt32, to state: UInt32) -> Bool {
    let (old, new) = (revisions[Int(former)], revisions[Int(state)])
    if old.location != new.location { return true }
    let type = Int(objects[Int(new.object)].type.rawValue) - 1
    let shapes = model.shapes.filter { $0.types.contains(type) }
    if shapes.contains(where: \.isAsShown) { return true }
    return model.types[type].fields.contains { field in
      !areEqual(field, former, state) && shapes.contains { $0.dependsOn(slot: field.slot) }
    }
  }

  private func areEqual(_ field: ModelField, _ lhs: UInt32, _ rhs: UInt32) -> Bool {
    let (left, right) = (word(field.slot, Int(lhs)), word(field.slot, Int(rhs)))
    if left == right { return true }
    guard case .many = field.content else { return false }
    return labels[LabelRange(word: left).indices].elementsEqual(
      labels[LabelRange(word: right).indices])
  }

  // MARK: Summaries

  private func type(of handle: Handle) -> EntityType {
    model.types[Int(objects[Int(handle.object)].type.rawValue) - 1]
  }

  func bytesOfSummary(of handle: Handle, whole: Int) -> Int {
    type(of: handle).summary?.bytes(ofWhole: whole) ?? whole
  }

  /// Whether two states of an object are alike in what their summaries show.
  func haveEqualSummaries(_ lhs: Handle, _ rhs: Handle) -> Bool {
    let type = type(of: lhs)
    guard lhs.object == rhs.object, let summary = type.summary else { return false }
    return summary.fields.allSatisfy { areEqual(type.fields[$0], lhs.revision, rhs.revision) }
  }
}
