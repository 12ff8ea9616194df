import CacheModel
import Workloads

/// What one user did, in order, without what the app repeats by itself and without the views that stay on
/// screen from beginning to end.
struct UserSteps {
  private(set) var steps: [SessionAction] = []
  /// The queries without subject that are watched from beginning to end, in order of their first read.
  private(set) var watched: [UInt32] = []
  /// The times between redraws of views that are on screen, in nanoseconds.
  private(set) var redraws: [Int64] = []

  /// - Parameters:
  ///   - client: whose steps.
  ///   - traits: of the queries.
  init(_ client: ClientScript, _ traits: QueryTraits) {
    var left = [Bool](repeating: false, count: traits.isList.count)
    for action in client.actions {
      if case .unobserve(let query) = action.kind { left[Int(query)] = true }
    }
    let first = client.actions.first?.at
    for action in client.actions {
      guard action.at == first, case .observe(let query) = action.kind else { break }
      if traits.isList[Int(query)], !left[Int(query)] { watched.append(query) }
    }
    var lastRedraw: Instant?
    for action in client.actions {
      switch action.kind {
      case .redraw:
        if let lastRedraw, lastRedraw < action.at {
          redraws.append(lastRedraw.duration(to: action.at).wholeNanoseconds)
        }
        lastRedraw = action.at
      case .tag, .write, .maintenance: break
      case .observe(let query) where action.at == first && watched.contains(query): break
      case .read, .observe, .unobserve, .open: steps.append(action)
      }
    }
  }

  /// Nanoseconds between a step and the one before it.
  func pause(before step: Int) -> Int64 {
    steps[step - 1].at.duration(to: steps[step].at).wholeNanoseconds
  }
}

/// What the queries of a workload are to a user, by their numbers.
struct QueryTraits {
  /// Whether one is asked while letters are typed.
  let isTyped: [Bool]
  /// How many letters it has.
  let letters: [Int64]
  /// Whether it has no subject but the user, and so may stay on screen.
  let isList: [Bool]

  init(_ workload: Workload) {
    let shapes = workload.queries.map { workload.model.shape(of: $0.kind) }
    isTyped = shapes.map { $0?.typedField != nil }
    isList = shapes.map { $0?.isAskedByItself ?? false }
    letters = workload.queries.map { Int64($0.prefixLength) }
  }
}
