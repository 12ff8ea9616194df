import CacheModel

/// What sets one program apart from others beside the weights of its steps: drawn anew for each seed.
struct ProgramShape: Sendable {
  /// How often things on their way overtake each other.
  let disorder: Double
  /// The longest usual pause, in milliseconds.
  let pause: Int
  /// How often an event never comes.
  let loss: Double
  /// How often an answer is read by the server a while before it arrives.
  let slowness: Double
  /// How often a screen opens: several things are asked for at once, and their answers overtake each
  /// other.
  let screens: Double
  /// How often what is written again is meant to look the same in every list.
  let likeness: Double
  /// What is asked for: a few queries, so that steps meet.
  let queries: [QueryKey]
  /// How many of a server's notes are written to.
  private let notes: Double

  /// - Parameters:
  ///   - random: draws everything.
  ///   - declared: the queries that the app declares; empty: it asks its own.
  init(random: inout RandomSource, _ declared: [NoteShape]) {
    disorder = [0, 0.1, 0.3, 0.7][random.below(4)]
    pause = [100, 1_000, 15_000, 90_000][random.below(4)]
    loss = [0.05, 0.05, 0.3, 0.8][random.below(4)]
    slowness = [0, 0, 0.5, 0.9][random.below(4)]
    screens = [0, 0, 0.7][random.below(3)]
    likeness = [0, 0, 0.3, 0.7][random.below(4)]
    notes = [0.3, 0.6, 1, 1][random.below(4)]
    var left = NoteRules(declared).queries
    let count = declared.isEmpty ? [3, 6, 10, left.count][random.below(4)] : 2 + random.below(5)
    var chosen = (0..<count).map { _ in left.remove(at: random.below(left.count)) }
    // Of what only the server can tell, every change makes stale: few causes come so often.
    if declared.isEmpty, random.chance(0.3) {
      chosen[0] = NoteQuery.opaque.key(in: random.chance(0.5) ? .test : .other)
    }
    queries = chosen
  }

  /// The numbers that a server's notes have in this program.
  func numbers(of server: Int) -> Range<Int> {
    let all = NoteWorld.numbers(of: server)
    let count = (Double(all.count) * notes).rounded(.up)
    return all.lowerBound..<all.lowerBound + Int(count)
  }
}
