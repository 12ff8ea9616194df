import CacheModel
import Text

/// A library of files, and who uses it, in sentences.
enum FileWords {
  static func library(_ library: LibrarySection) -> [String] {
    [
      "\(Words.count(library.files, "file")) in directories \(library.depth) levels deep with "
        + "\(library.fanOut) in each, \(Words.share(library.media)) of them images or films; "
        + "\(Words.count(library.albums, "album")) of \(Words.number(library.albumSize)) files and "
        + "\(Words.count(library.tags, "tag")), \(Words.number(library.tagsPerFile)) on a file."
    ]
  }

  static func device(_ device: DeviceSection) -> String {
    var parts = ["\(device.name): \(Words.count(device.count, "device"))"]
    if device.rate > 0 { parts.append("\(Words.rate(device.rate)) each at random") }
    if let burst = device.burst {
      parts.append("\(burst.operations) in a burst every \(Words.duration(burst.every))")
    }
    if let index = device.index {
      parts.append("an index of \(Words.count(index.files, "file")) at \(Words.duration(index.at))")
    }
    let names = OperationMix.fields.map(\.name)
    let mix = zip(names, device.mix.shares).filter { $0.1 > 0 }
      .map { "\(Words.share($0.1)) \($0.0)" }
    if !mix.isEmpty { parts.append(Words.list(mix)) }
    return parts.joined(separator: ", ") + "."
  }

  static func session(_ session: SessionSection) -> String {
    var parts = ["\(session.name): \(Words.count(session.clients, "client"))"]
    if let visits = session.visits {
      parts.append(
        "visits \(Words.rate(visits.rate)) of \(Words.duration(visits.length)) on average, "
          + "\(visits.between.rawValue) between them")
    }
    parts.append("\(Words.duration(session.think.mean)) between two steps")
    let names = ActivityMix.fields.map(\.name)
    let mix = zip(names, session.mix.shares).filter { $0.1 > 0 }
      .map { "\(Words.share($0.1)) \($0.0)" }
    parts.append(Words.list(mix))
    return parts.joined(separator: ", ") + "."
  }
}
