/// What one event makes of one list, for a cache that is told so.
package struct ListChange: Hashable, Sendable {
  package var query: Int
  package var content: Content

  package enum Content: Hashable, Sendable {
    /// First the objects that left it are taken out, then those that entered it, or moved in it, are put
    /// in, each at its place from 0, in this order.
    case moved(left: [UInt32], entered: [Entry])
    /// What it lists now, only the server can say.
    case unknown
  }

  package struct Entry: Hashable, Sendable {
    package var object: UInt32
    package var place: Int
  }
}

/// What a change of the server's makes of one list, whatever of it is told.
package struct ListStep: Sendable {
  var query: Int
  var left: [UInt32] = []
  var entered: [ListChange.Entry] = []
  /// What a cache has to be told of to show the list as it is now.
  private var needed: [UInt32] = []

  /// `nil` comes where the change does not concern the list.
  ///
  /// - Parameters:
  ///   - query: the list's number.
  ///   - before: its objects, in its order.
  ///   - after: its objects after the change.
  ///   - changed: whether the change gave an object another state.
  package init?(_ query: Int, from before: [UInt32], to after: [UInt32], changed: (UInt32) -> Bool)
  {
    self.query = query
    let wasThere = Set(before)
    let isThere = Set(after)
    let stayed = after.filter { wasThere.contains($0) }
    let hasMoved = before.filter { isThere.contains($0) } != stayed
    left = before.filter { !isThere.contains($0) || hasMoved && changed($0) }
    for (place, object) in after.enumerated() {
      let isNew = !wasThere.contains(object)
      if isNew || hasMoved && changed(object) {
        entered.append(ListChange.Entry(object: object, place: place))
      }
      if isNew || changed(object) { needed.append(object) }
    }
    if left.isEmpty, entered.isEmpty, needed.isEmpty { return nil }
  }

  /// As it is told, where the event brings the rows of some objects; `nil` where there is nothing to tell.
  package func told(with objects: Set<UInt32>) -> ListChange? {
    guard needed.allSatisfy({ objects.contains($0) }) else {
      return ListChange(query: query, content: .unknown)
    }
    if left.isEmpty, entered.isEmpty { return nil }
    return ListChange(query: query, content: .moved(left: left, entered: entered))
  }
}
