import CacheModel
import Text

/// A library of files, and who uses it, in sentences.
struct FileWords {
  private let scenario: Scenario

  init(_ scenario: Scenario) {
    self.scenario = scenario
  }

  // MARK: What there is

  var library: [String] {
    let library = scenario.library
    let trees =
      library.locations == 1 ? "" : " in each of \(Words.count(library.locations, "location"))"
    let files =
      "\(Words.count(library.files, "file")) in directories \(Words.count(library.depth, "level")) deep, "
      + "\(library.fanOut) in each\(trees); \(Words.share(library.media)) are images or films."
    let labels =
      "\(Words.count(library.albums, "album")) of \(Words.count(library.albumSize, "file")) on "
      + "average, \(Words.count(library.tags, "tag")), "
      + "\(Words.number(library.tagsPerFile)) on a file."
    let content = library.content.map {
      "A file holds from \(Words.size($0.least)) to \(Words.size($0.most)) besides, by a Pareto "
        + "distribution of exponent \(Words.number($0.exponent))."
    }
    return [files, labels] + [content].compactMap { $0 }
  }

  var limits: [String] {
    let limits = scenario.limits
    let rows = [
      ("a directory", limits.directory), ("recents", limits.recents), ("media", limits.media),
      ("an album", limits.album), ("a tag", limits.tag), ("the lists of both", limits.lists),
      ("a search", limits.search),
    ].map { "\($0.0) \(Words.grouped($0.1))" }
    return ["Rows at most: \(Words.list(rows))."]
  }

  // MARK: What others do

  var devices: [String] { scenario.devices.flatMap { device($0) } }

  private func device(_ device: DeviceSection) -> [String] {
    var parts = ["\(device.name): \(Words.count(device.count, "device"))"]
    let operations = TrainWords.operations(device.rate, device.burst)
    if !operations.isEmpty {
      parts.append("each \(operations)")
      parts.append(choice(device))
    }
    let names = OperationMix.fields.map(\.name)
    let mix = zip(names, device.mix.shares).filter { $0.1 > 0 }
      .map { "\(Words.share($0.1)) \($0.0)" }
    var lines = [parts.joined(separator: "; ") + "."]
    if !operations.isEmpty {
      lines[0] +=
        " "
        + TrainWords.total(
          count: device.count, device.rate, device.burst, in: scenario.activeDuration)
    }
    if !mix.isEmpty { lines.append("  \(Words.list(mix)).") }
    if let index = device.index { lines += self.index(index) }
    return lines
  }

  private func choice(_ device: DeviceSection) -> String {
    var text = "files are chosen \(popularity(device.popularity))"
    if let interest = device.interest {
      text += ", \(Words.share(interest)) of edits where sessions have looked"
    }
    if device.selection != 1 {
      text += ", \(Words.count(device.selection, "file")) at a time on average"
    }
    return text
  }

  private func popularity(_ popularity: PopularitySection) -> String {
    switch popularity.distribution {
    case .uniform: "all alike"
    case .zipf: "by popularity (Zipf \(Words.number(popularity.exponent)))"
    case .hotspot:
      "from a hot \(Words.share(popularity.hotShare)) in \(Words.share(popularity.hotAccess)) of cases"
    }
  }

  private func index(_ index: IndexSection) -> [String] {
    var waves = [
      "  At \(Words.duration(index.at)) an index job finds \(Words.count(index.files, "file")), "
        + "\(Words.grouped(index.batch)) in a batch, \(Words.rate(index.batchRate)); "
        + "\(Words.share(index.known)) lie in directories that exist"
        + (index.bulkNotice ? "; batches of 1,000 or more come without their items." : ".")
    ]
    if index.identify > 0 {
      waves.append(
        "  Then \(Words.rate(index.identify)) are identified, \(Words.count(index.identifyBatch, "file"))"
          + " in an event.")
    }
    if index.thumbnails {
      waves.append(
        "  Media files get thumbnails, \(Words.count(index.thumbnailBatch, "file")) in an event.")
    }
    if let progress = index.progress {
      waves.append("  Progress is told every \(Words.duration(progress)).")
    }
    return waves
  }

  // MARK: What people do

  var sessions: [String] { scenario.sessions.flatMap { session($0) } }

  private func session(_ session: SessionSection) -> [String] {
    var lines = [
      TrainWords.people(
        session.name, session.clients, session.visits, session.active, session.think,
        session.reaction)
    ]
    if !session.watched.isEmpty {
      lines.append(
        "  Always on screen: \(Words.list(session.watched.map(\.methodName))).")
    }
    let names = ActivityMix.fields.map(\.name)
    let mix = zip(names, session.mix.shares).filter { $0.1 > 0 }
      .map { "\(Words.share($0.1)) \($0.0)" }
    lines.append("  \(Words.list(mix)).")
    lines.append("  \(strolls(session))")
    if session.mix.search > 0 {
      lines.append(
        "  A search has \(Words.count(session.letters, "letter")) on average, one every "
          + "\(Words.duration(session.keystroke)), and asks from letter \(session.askFrom) on.")
    }
    if session.mix.media > 0 {
      lines.append(
        "  In media \(Words.count(session.scrolls, "file")) come into reach on average, one every "
          + "\(Words.duration(session.scroll)).")
    }
    lines.append(
      "  Albums, tags and what is searched are chosen \(popularity(session.popularity))"
        + (session.tagged > 0 ? "; \(Words.share(session.tagged)) are marked to be kept." : "."))
    if let newest = session.newest {
      lines.append(
        "  \(Words.share(newest.share)) of what is read is younger than "
          + "\(Words.duration(newest.age)), \(Words.share(newest.direct)) of it opened by itself.")
    }
    if let redraw = session.redraw {
      lines.append("  Views on screen are read again every \(Words.duration(redraw)).")
    }
    return lines
  }

  private func strolls(_ session: SessionSection) -> String {
    "A stroll has \(Words.count(session.moves, "move")) on average: \(Words.share(session.back)) back, "
      + "\(Words.share(session.into)) into a directory within, the others elsewhere, "
      + "\(Words.share(session.revisit)) of those where the user was before. "
      + "\(Words.count(session.opens, "file")) \(session.opens == 1 ? "is" : "are") opened in a view, "
      + "on average."
  }
}
