import CacheModel

/// Writes down what a user does, and keeps track of the views on screen.
struct ScriptWriter {
  private var actions: [SessionAction] = []
  /// The queries on screen in the order in which they appeared, with how many views show each.
  private var views: [(query: UInt32, count: Int)] = []

  var count: Int { actions.count }

  func isOnScreen(_ query: UInt32) -> Bool { views.contains { $0.query == query } }

  mutating func append(_ kind: SessionAction.Kind, at instant: Int64) {
    actions.append(SessionAction(at: Instant(nanoseconds: instant), kind: kind))
  }

  /// A view appears; where another view shows the same query, it only reads it.
  mutating func observe(_ query: UInt32, at instant: Int64) {
    if let index = views.firstIndex(where: { $0.query == query }) {
      views[index].count += 1
      append(.read(query: query), at: instant)
    } else {
      views.append((query, 1))
      append(.observe(query: query), at: instant)
    }
  }

  mutating func unobserve(_ query: UInt32, at instant: Int64) {
    guard let index = views.firstIndex(where: { $0.query == query }) else { return }
    views[index].count -= 1
    if views[index].count == 0 {
      views.remove(at: index)
      append(.unobserve(query: query), at: instant)
    }
  }

  /// Closes all views but the first ones.
  mutating func closeViews(except kept: Int, at instant: Int64) {
    while views.count > kept {
      let view = views.removeLast()
      append(.unobserve(query: view.query), at: instant)
    }
  }

  /// The actions before `end`, with every view on screen drawn again at each redraw during a visit.
  func finished(
    redraw: Int64?, during visits: [Range<Int64>], end: Int64, limit: Int
  ) -> [SessionAction] {
    let own = actions.filter { $0.at.nanoseconds < end }
    guard let redraw else { return own }
    var result: [SessionAction] = []
    result.reserveCapacity(own.count)
    var onScreen: [UInt32] = []
    var next = 0
    func take(until instant: Int64) {
      while next < own.count, own[next].at.nanoseconds < instant {
        switch own[next].kind {
        case .observe(let query): onScreen.append(query)
        case .unobserve(let query): onScreen.removeAll { $0 == query }
        case .read, .redraw, .tag, .open, .write, .maintenance: break
        }
        result.append(own[next])
        next += 1
      }
    }
    for visit in visits {
      for at in stride(
        from: visit.lowerBound + redraw, to: min(visit.upperBound, end), by: Int(redraw))
      where result.count < limit {
        take(until: at)
        result += onScreen.map {
          SessionAction(at: Instant(nanoseconds: at), kind: .redraw(query: $0))
        }
      }
    }
    take(until: end)
    return result
  }
}
