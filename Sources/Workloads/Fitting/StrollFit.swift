import CacheModel

/// How a user goes from directory to directory.
///
/// Where a stroll begins and where each move leads is in a recording, why it led there is not: a directory
/// seen before may also have been met by chance, or by going back. So the shares are those of highest
/// likelihood given all ways that could have led there (expectation and maximisation).
struct StrollFit {
  private(set) var moves: Estimate
  private(set) var back: Estimate
  private(set) var into: Estimate
  private(set) var revisit: Estimate
  /// How many moves there were from directories that held files.
  private(set) var moveCount = 0
  /// The share of directory views that a stroll began or leapt to: so much `revisit` moves.
  private(set) var jumpShare = 0.0

  /// A place where the way was chosen: how likely each way would have led where it led.
  private struct Fork {
    var isStart: Bool
    var canGoBack = false
    var canGoInto = false
    /// Whether there was a directory to come back to.
    var knows = false
    var back = 0.0
    var into = 0.0
    var revisit = 0.0
    var chance = 0.0
  }

  /// So many directories are remembered for a revisit, as by the generator.
  private static let memory = 64

  init(_ users: [UserSteps], _ queries: [QuerySpec], _ content: DirectoryContent, longest: Int64) {
    var walk = Walk(content: content)
    for user in users { walk.follow(user, queries, longest: longest) }
    let session = SessionSection()
    let ended = walk.strolls - walk.cut
    let moved = walk.forks.count { !$0.isStart }
    moveCount = walk.movesFromFiles
    moves = Estimate(
      ended > 0 ? Double(moved) / Double(ended) : nil, from: ended, "strolls", needed: 30,
      default: session.moves)
    let shares = Self.shares(of: walk.forks)
    let returns = walk.forks.count(where: \.knows)
    back = Estimate(shares.back, from: moved, "moves", needed: 100, default: session.back)
    into = Estimate(shares.into, from: moved, "moves", needed: 100, default: session.into)
    revisit = Estimate(
      shares.revisit, from: returns, "strolls and leaps", needed: 100, default: session.revisit)
    let leaps = Double(moved) * (1 - shares.back - shares.into)
    jumpShare = (Double(walk.strolls) + leaps) / Double(max(1, walk.strolls + moved))
  }

  private static func shares(
    of forks: [Fork]
  ) -> (back: Double, into: Double, revisit: Double) {
    var (back, into, revisit) = (0.3, 0.3, 0.5)
    for _ in 0..<60 {
      let leap = max(0, 1 - back - into)
      var (goneBack, goneInto, leapt) = (0.0, 0.0, 0.0)
      // How often each could have been chosen, by the shares of what could.
      var (offeredBack, offeredInto, offeredLeap) = (0.0, 0.0, 0.0)
      var (returned, knew) = (0.0, 0.0)
      for fork in forks {
        let again = fork.knows ? revisit * fork.revisit : 0
        let elsewhere = again + (fork.knows ? 1 - revisit : 1) * fork.chance
        var leapWeight = elsewhere
        var total = elsewhere
        if !fork.isStart {
          leapWeight *= leap
          let backWeight = fork.canGoBack ? back * fork.back : 0
          let intoWeight = fork.canGoInto ? into * fork.into : 0
          total = leapWeight + backWeight + intoWeight
          guard total > 0 else { continue }
          goneBack += backWeight / total
          goneInto += intoWeight / total
          leapt += leapWeight / total
          let possible =
            leap + (fork.canGoBack ? back : 0) + (fork.canGoInto ? into : 0)
          offeredLeap += 1 / possible
          if fork.canGoBack { offeredBack += 1 / possible }
          if fork.canGoInto { offeredInto += 1 / possible }
        }
        guard fork.knows, total > 0, elsewhere > 0 else { continue }
        knew += leapWeight / total
        returned += leapWeight / total * again / elsewhere
      }
      if knew > 0 { revisit = min(1, returned / knew) }
      let shares = [
        offeredBack > 0 ? goneBack / offeredBack : 0, offeredInto > 0 ? goneInto / offeredInto : 0,
        offeredLeap > 0 ? leapt / offeredLeap : 0,
      ]
      let sum = shares.reduce(0, +)
      if sum > 0 { (back, into) = (shares[0] / sum, shares[1] / sum) }
    }
    return (back, into, revisit)
  }

  /// A walk through the views of one user after the other.
  private struct Walk {
    let content: DirectoryContent
    var forks: [Fork] = []
    var strolls = 0
    /// The strolls that the end of a visit cut short.
    var cut = 0
    var movesFromFiles = 0
    private var visited: [UInt32] = []
    private var path: [UInt32] = []

    init(content: DirectoryContent) { self.content = content }

    mutating func follow(_ user: UserSteps, _ queries: [QuerySpec], longest: Int64) {
      visited = []
      path = []
      // The directory that the user left last, and when.
      var left: (directory: UInt32, at: Instant)?
      var onScreen = 0
      for (index, step) in user.steps.enumerated() {
        if index > 0, user.pause(before: index) > longest {
          if !path.isEmpty { cut += 1 }
          path = []
          left = nil
          onScreen = 0
        }
        switch step.kind {
        case .observe(let query):
          onScreen += 1
          // What is shown above another view is what a notification led to.
          guard onScreen == 1 else { continue }
          guard let directory = queries[Int(query)].directory else {
            path = []
            left = nil
            continue
          }
          if let left, left.at == step.at, left.directory == path.last {
            move(to: directory)
          } else {
            begin(in: directory, besides: left?.directory)
          }
        case .unobserve(let query):
          onScreen = max(0, onScreen - 1)
          if onScreen == 0 { left = queries[Int(query)].directory.map { ($0, step.at) } }
        case .read:
          path = []
          left = nil
        case .open, .redraw, .tag, .write, .upkeep: break
        }
      }
      if !path.isEmpty, longest < .max { cut += 1 }
    }

    private mutating func begin(in directory: UInt32, besides last: UInt32?) {
      strolls += 1
      var fork = Fork(isStart: true)
      jump(to: directory, besides: last, &fork)
      forks.append(fork)
      path = [directory]
      remember(directory)
    }

    private mutating func move(to directory: UInt32) {
      let here = path[path.count - 1]
      if content.files[Int(here)] > 0 { movesFromFiles += 1 }
      var fork = Fork(isStart: false)
      let before = path.dropLast().lastIndex { $0 != here }
      fork.canGoBack = before != nil
      fork.back = before.map { path[$0] == directory ? 1 : 0 } ?? 0
      let children = content.directories[Int(here)]
      fork.canGoInto = children > 0
      if children > 0, content.parent[Int(directory)] == here {
        fork.into = 1 / Double(children)
      }
      jump(to: directory, besides: here, &fork)
      forks.append(fork)
      if let before, path[before] == directory {
        path.removeSubrange((before + 1)...)
      } else {
        path.append(directory)
        if content.parent[Int(directory)] != here { remember(directory) }
      }
    }

    private func jump(to directory: UInt32, besides last: UInt32?, _ fork: inout Fork) {
      let known = visited.filter { $0 != last }
      fork.knows = !known.isEmpty
      if let place = known.lastIndex(of: directory) {
        // The square of a draw leans towards the latest.
        let rank = Double(known.count - 1 - place)
        let count = Double(known.count)
        fork.revisit = ((rank + 1) / count).squareRoot() - (rank / count).squareRoot()
      }
      let others = content.filesInAll - (last.map { content.files[Int($0)] } ?? 0)
      fork.chance = Double(content.files[Int(directory)]) / Double(max(1, others))
    }

    private mutating func remember(_ directory: UInt32) {
      visited.removeAll { $0 == directory }
      visited.append(directory)
      if visited.count > StrollFit.memory { visited.removeFirst() }
    }
  }
}
