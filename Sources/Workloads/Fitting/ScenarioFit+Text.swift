import CacheModel
import Text

/// The sections of a fitted scenario, each value with what it was estimated from.
extension ScenarioFit {
  func write(into text: inout FittedText) {
    writeHead(to: &text)
    writeLibrary(to: &text)
    writeOthers(to: &text)
    writeUsers(to: &text)
    writeLimits(to: &text)
    network.write(for: workload, to: &text)
    writeFaults(to: &text)
    text.gap()
    text.add(0, "server:")
    text.add(2, "replay-events: \(min(workload.retention.events, 10_000_000)) events")
    let age = min(workload.retention.age, .days(365)).wholeNanoseconds
    text.add(2, "replay-age: \(Dimension.duration.text(of: Double(age)))")
    if workload.saysNotModified { text.add(2, "not-modified: yes") }
    text.gap()
    text.add(0, "cache:")
    text.comment(2, "Limits are none of a recording: set here what your client has.")
    text.add(2, "capacity-entities: 10_000 entities", "the default")
    text.add(2, "maximum-queries: 100 queries", "the default")
    text.add(2, "time-to-live: 300 s", "the default")
    text.gap()
    text.add(0, "policies: [lru, refcount, ttl, spacedrive, no-cache, unbounded]")
  }

  private func writeHead(to text: inout FittedText) {
    text.add(0, "name: fitted")
    text.add(0, "description: Resembles a recording, from estimates.")
    let reads = users.reduce(0) { $0 + $1.seenBefore.count }
    let origin = workload.truth == .observed ? "the log of an app" : "a recording"
    text.comment(
      0,
      "Estimated from \(origin): \(Words.count(workload.clients.count, "client")), "
        + "\(Words.grouped(reads)) query reads, \(Words.count(workload.mutations.count, "commit")). A "
        + "comment says from how many observations a value is, or that they were too few.")
    if let drawn {
      for (group, share) in drawn.seenBefore.enumerated() {
        text.comment(
          0,
          "Views seen before, \(name(ofUsers: group)): recorded "
            + "\(FittedText.share(users[group].seenBefore.value)) "
            + "\(users[group].seenBefore.origin); drawn from this file \(FittedText.share(share)).")
      }
    }
    text.add(0, "seed: 1")
    let (duration, quiet) = (Double(length), Double(length - activeLength))
    text.add(0, "duration: \(Dimension.duration.text(of: duration))")
    text.add(0, "drain: \(Dimension.duration.text(of: quiet))")
    let warmUp =
      Double(workload.warmUp.wholeNanoseconds) / Double(max(1, workload.duration.wholeNanoseconds))
    // Over before the quiet end, as in every scenario.
    let most = min(0.9, 0.99 * Double(activeLength) / duration)
    text.add(0, "warm-up: \(FittedText.share(min(warmUp, most)))")
    let left = workload.clients.count - users.reduce(0) { $0 + $1.clients.count }
    if left > 0 {
      text.comment(
        0,
        "\(Words.count(left, "client")) of more than a hundred unlike groups are not in this file.")
    }
  }

  private static let second: Int64 = 1_000_000_000

  /// The run in whole seconds, as long as a scenario may be, in nanoseconds; and until its quiet end.
  private var length: Int64 {
    let seconds = (workload.duration.wholeNanoseconds + Self.second - 1) / Self.second
    return min(max(seconds, 2), 30 * 86_400) * Self.second
  }

  private var activeLength: Int64 {
    length - min(quiet.wholeNanoseconds, length / 2 / Self.second * Self.second)
  }

  private func writeLibrary(to text: inout FittedText) {
    text.gap()
    text.add(0, "library:")
    text.add(2, "files: \(min(library.files, 1_000_000)) files", "counted")
    text.add(
      2, "depth: \(library.depth) levels",
      "from the directories of \(Words.grouped(library.files)) files"
    )
    text.add(
      2, "fan-out: \(library.fanOut) directories",
      "so that there are about \(Words.grouped(library.directories)) in all")
    text.add(2, "media", library.media, FittedText.share)
    text.add(
      2, "locations: \(min(library.locations, 1_000)) locations", "counted, as are the next four")
    text.add(2, "albums: \(min(library.albums, 100_000)) albums")
    text.add(2, "album-size: \(FittedText.count(min(library.albumSize, 100_000), "files"))")
    text.add(2, "tags: \(min(library.tags, 100_000)) tags")
    text.add(2, "tags-per-file: \(FittedText.count(min(library.tagsPerFile, 100), "tags"))")
    if let mean = library.meanFileBytes {
      let size = "a file has \(Words.grouped(Int(mean.rounded()))) B on average"
      if let content = library.content {
        text.add(
          2,
          "content: {least: \(content.least) B, most: \(content.most) B, exponent: "
            + "\(FittedText.number(content.exponent))}", size)
      } else if library.isSmallerThanLibrary {
        text.comment(2, "Recorded, \(size); in a scenario of files it has 942 B at least.")
      } else {
        text.comment(2, "Recorded, \(size), which is what every file of a scenario has.")
      }
    }
  }

  private func writeOthers(to text: inout FittedText) {
    guard !others.isEmpty else { return }
    text.gap()
    text.add(0, "devices:")
    for (number, group) in others.enumerated() {
      text.add(2, "- name: others-\(number + 1)")
      text.add(4, "count: \(group.devices) devices")
      if group.operations > 0 {
        text.add(4, "rate", group.rate) { FittedText.rate(min($0, 1_000)) }
        text.add(
          4, "mix: " + FittedText.mix(OperationMix.fields.map(\.name), group.mix),
          "of \(Words.grouped(group.operations)) operations")
        text.add(4, "selection", group.selection) {
          FittedText.count(min(max($0, 1), 1_000), "files")
        }
        let exponent = FittedText.number(min(max(group.exponent.value, 0.01), 4))
        text.add(
          4, "popularity: {distribution: zipf, exponent: \(exponent)}", group.exponent.origin)
      }
      if let interest = group.interest { text.add(4, "interest", interest, FittedText.share) }
      if let burst = group.burst {
        let every = min(max(burst.every.value, 1e9), 30 * 86_400e9)
        let operations = min(max(1, Int(burst.operations.rounded())), 100_000)
        text.add(
          4,
          "burst: {every: \(FittedText.duration(every)), operations: \(operations) operations, rate: "
            + "\(FittedText.rate(min(max(burst.rate, 0.001), 10_000)))}", burst.every.origin)
      } else if let variation = group.variation, variation > 1.5 {
        text.comment(
          4,
          "The times between operations vary \(FittedText.number(variation)) times as much as their "
            + "mean: they come in trains or by the time of day, which is not in this file.")
      }
      if let index = group.index { write(index, to: &text) }
    }
  }

  private func write(_ index: IndexFit, to text: inout FittedText) {
    text.add(4, "index:", "from \(Words.grouped(index.commits)) commits")
    let at = min(index.at.nanoseconds, 30 * 86_400_000_000_000) / 1_000_000_000
    text.add(6, "at: \(at) s")
    text.add(6, "files: \(min(max(index.files, 1), 1_000_000)) files")
    text.add(6, "batch: \(min(max(index.batch, 1), 10_000)) files")
    text.add(6, "batch-rate: \(FittedText.rate(min(max(index.batchRate, 0.001), 1_000)))")
    text.add(6, "identify: \(FittedText.rate(min(index.identifyRate, 10_000)))")
    if index.identifyRate > 0 {
      text.add(6, "identify-batch: \(min(max(index.identifyBatch, 1), 10_000)) files")
    }
    if let batch = index.thumbnailBatch {
      text.add(6, "thumbnail-batch: \(min(batch, 10_000)) files")
    } else {
      text.add(6, "thumbnails: no")
    }
    if let progress = index.progress {
      let step = min(max(Double(progress), 1e8), 3_600e9)
      text.add(6, "progress: \(FittedText.duration(step))")
    }
  }

  func name(ofUsers group: Int) -> String { "users-\(group + 1)" }

  private func writeUsers(to text: inout FittedText) {
    guard !users.isEmpty else { return }
    text.gap()
    text.add(0, "sessions:")
    for (number, group) in users.enumerated() {
      text.add(2, "- name: \(name(ofUsers: number))")
      text.add(4, "clients: \(group.clients.count) clients")
      let watched = group.watched.map(\.methodName).joined(separator: ", ")
      if !watched.isEmpty { text.add(4, "watched: [\(watched)]") }
      writeMix(of: group, to: &text)
      let mean = FittedText.duration(min(max(group.pauses.think.value, 1e6), 86_400e9))
      text.add(
        4,
        group.pauses.isExponential
          ? "think: {mean: \(mean), distribution: exponential}" : "think: \(mean)",
        group.pauses.think.origin)
      if let visits = group.pauses.visits { write(visits, to: &text) }
      text.add(4, "moves", group.strolls.moves) { FittedText.count(min($0, 1_000), "moves") }
      // Rounded, the two must not exceed the whole.
      let back = (group.strolls.back.value * 1_000).rounded(.down) / 1_000
      text.add(4, "back: \(FittedText.share(back))", group.strolls.back.origin)
      let into = (min(group.strolls.into.value, 1 - back) * 1_000).rounded(.down) / 1_000
      text.add(4, "into: \(FittedText.share(into))", group.strolls.into.origin)
      text.add(4, "revisit: \(FittedText.share(revisits[number]))", group.strolls.revisit.origin)
      if group.tagged.value > 0 {
        text.add(4, "tagged", group.tagged) { FittedText.share(min($0, 1)) }
      }
      text.add(4, "opens", group.opens) { FittedText.count(min($0, 1_000), "files") }
      if group.mix[1] > 0 {
        text.add(4, "keystroke", group.pauses.keystroke) {
          FittedText.duration(min(max($0, 1e6), 60e9))
        }
        text.add(4, "letters", group.letters) {
          FittedText.count(min(max($0, 1), 12), "letters")
        }
        text.add(4, "ask-from: \(min(max(group.askFrom, 1), 12)) letters")
      }
      if group.mix[5] > 0 {
        text.add(4, "scrolls", group.scrolls) { FittedText.count(min($0, 10_000), "files") }
        text.add(4, "scroll", group.pauses.scroll) {
          FittedText.duration(min(max($0, 1e6), 3_600e9))
        }
      }
      if let redraw = group.redraw {
        text.add(4, "redraw: \(FittedText.duration(min(max(Double(redraw), 1e8), 86_400e9)))")
      }
      let exponent = FittedText.number(min(max(group.exponent.value, 0.01), 4))
      text.add(4, "popularity: {distribution: zipf, exponent: \(exponent)}", group.exponent.origin)
      if let newest = group.newest, newest.share.isMeasured {
        text.add(
          4,
          "newest: {share: \(FittedText.share(newest.share.value)), age: "
            + "\(FittedText.duration(Double(newest.age))), direct: \(FittedText.share(newest.direct))}",
          newest.share.origin)
      }
      if group.reaction != .none { text.add(4, "reaction: \(group.reaction.rawValue)") }
    }
  }

  private func writeMix(of group: UsersFit, to text: inout FittedText) {
    let names = ActivityMix.fields.map(\.name)
    let origin = "of \(Words.grouped(group.activities)) activities"
    guard group.activities >= 30, group.mix[4] < 0.999, group.mix[5] < 0.999 else {
      text.add(
        4, "mix: {browse: 100 %}",
        "the default: \(origin) a mix cannot be told, or they are one view, which is not opened twice"
      )
      return
    }
    text.add(4, "mix: " + FittedText.mix(names, group.mix), origin)
  }

  private func write(_ visits: PauseFit.Visits, to text: inout FittedText) {
    guard visits.rate.isMeasured else {
      text.comment(
        4,
        "Users are not always there, but \(visits.rate.count) \(visits.rate.noun) are too few to tell "
          + "when: \(visits.rate.needed) would. Here they are always there.")
      return
    }
    text.add(4, "visits:", visits.rate.origin)
    text.add(6, "rate: \(FittedText.rate(min(max(visits.rate.value, 0.000_002), 1)))")
    text.add(
      6, "length: \(FittedText.duration(min(max(visits.length.value, 1e9), 86_400e9)))")
    text.add(6, "between: \(visits.isSuspended ? "suspended" : "connected")")
  }

  private func writeLimits(to text: inout FittedText) {
    let names: [(QueryKind, String)] = [
      (.directory, "directory"), (.recents, "recents"), (.media, "media"), (.album, "album"),
      (.tag, "tag"), (.albumList, "lists"), (.search, "search"),
    ]
    let limits = names.compactMap { kind, name in
      workload.queries.filter { $0.kind == kind }.map(\.limit).max().map { (name, $0) }
    }
    guard !limits.isEmpty else { return }
    text.gap()
    text.add(0, "limits:")
    for (name, limit) in limits { text.add(2, "\(name): \(min(max(limit, 1), 1_000_000)) rows") }
  }

  private func writeFaults(to lines: inout FittedText) {
    var faults: [String] = []
    // In whole milliseconds, and over before the quiet end.
    let millisecond: Int64 = 1_000_000
    let end = activeLength / millisecond
    func text(_ milliseconds: Int64) -> String {
      Dimension.duration.text(of: Double(milliseconds * millisecond))
    }
    func add(_ kind: String, _ windows: [Range<Instant>], _ client: String, _ rest: String = "") {
      for window in windows {
        let first = window.lowerBound.nanoseconds / millisecond
        let last = min(end, window.upperBound.nanoseconds / millisecond)
        guard first < last else { continue }
        faults.append(
          "{kind: \(kind), at: \(text(first)), for: \(text(last - first)), client: \(client)\(rest)}"
        )
      }
    }
    func add(_ kind: String, at instant: Instant, _ rest: String = "") {
      let at = instant.nanoseconds / millisecond
      if at < end { faults.append("{kind: \(kind), at: \(text(at))\(rest)}") }
    }
    for (number, group) in users.enumerated() {
      for (place, index) in group.clients.enumerated() {
        let client = workload.clients[index]
        let name = name(ofUsers: number) + (group.clients.count > 1 ? "-\(place + 1)" : "")
        if group.pauses.visits?.isSuspended != true { add("partition", client.partitions, name) }
        add("errors", client.errors, name)
        for relaunch in client.relaunches { add("relaunch", at: relaunch, ", client: \(name)") }
        for refusal in client.storageFaults {
          add("storage", [refusal.during], name, ", error: \(refusal.fault.rawValue)")
        }
      }
    }
    for (before, after) in zip(workload.mutations, workload.mutations.dropFirst())
    where before.position.epoch < after.position.epoch {
      add("restart", at: after.at)
    }
    guard !faults.isEmpty else { return }
    lines.gap()
    guard faults.count <= 1_000 else {
      lines.comment(
        0,
        "\(Words.grouped(faults.count)) faults were recorded, more than a scenario may have: none is here."
      )
      return
    }
    lines.add(0, "faults:")
    for fault in faults { lines.add(2, "- " + fault) }
  }
}
