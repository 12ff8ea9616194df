import CacheModel
import FoundationEssentials

/// The lines of one device, written before the run but for the instants, so that sending costs little.
struct MutationScript: Sendable {
  /// By mutation: what follows the instants.
  private let tails: [Data]
  let tokens: [UUID]

  /// - Throws: what the JSON encoder throws.
  init(plan: DevicePlan, device: Int) throws {
    let encoder = JSONEncoder()
    encoder.dateEncodingStrategy = .iso8601
    encoder.outputFormatting = [.withoutEscapingSlashes]
    var random = RandomSource(seed: plan.seed).substream("device-tokens", UInt64(device))
    tokens = (0..<plan.mutations(ofDevice: device)).map { _ in random.nextUUID() }
    tails = try tokens.enumerated().map { index, token in
      let files = plan.files(ofMutation: index, device: device).map {
        plan.library.payload(ofFile: $0, revision: index * plan.devices + device + 1)
      }
      var tail = Data(",\"device\":\(device + 1),\"token\":\"\(token.uuidString)\",\"files\":".utf8)
      tail.append(try encoder.encode(files))
      tail.append(contentsOf: Array("}\n".utf8))
      return tail
    }
  }

  var count: Int { tails.count }

  /// The line of a mutation as it is sent now.
  func line(_ index: Int, intended: Int64, sent: Int64) -> Data {
    var line = Data("{\"kind\":\"mutation\",\"intended\":\(intended),\"sent\":\(sent)".utf8)
    line.append(tails[index])
    return line
  }
}
