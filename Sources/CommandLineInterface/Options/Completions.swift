package import ArgumentParser
import CacheModel
import Foundation
import ResultModel
import Workloads

/// Completions for shells: the valid names, supplied by the command itself.
package enum Completions {
  /// Scenarios by name, and files of scenarios and recordings.
  package static let inputs = CompletionKind.custom { _, _, prefix in
    beginning(with: prefix, (try? ScenarioFile.knownNames()) ?? []) + files(prefix)
  }

  /// Presets, separated by commas.
  package static let policies = CompletionKind.custom { _, _, prefix in
    list(prefix, Preset.all.map(\.name) + DesignPreset.all.map(\.name))
  }

  /// Metrics, separated by commas.
  package static let metrics = CompletionKind.custom { _, _, prefix in
    list(prefix, MetricRegistry.all.map(\.name))
  }

  /// Fields of the cache, without their values.
  package static let cacheFields = CompletionKind.custom { _, _, prefix in
    beginning(with: prefix, ScenarioField.ofCache(of: []).map { "\($0.name)=" })
  }

  private static func beginning(with prefix: String, _ names: [String]) -> [String] {
    names.filter { $0.hasPrefix(prefix) }
  }

  /// Returns the names for the last part of a list, after the existing parts.
  private static func list(_ prefix: String, _ names: [String]) -> [String] {
    let head = prefix.lastIndex(of: ",").map { String(prefix[...$0]) } ?? ""
    return beginning(with: String(prefix.dropFirst(head.count)), names).map { head + $0 }
  }

  private static func files(_ prefix: String) -> [String] {
    let folder = prefix.lastIndex(of: "/").map { String(prefix[...$0]) } ?? ""
    let entries = try? FileManager.default.contentsOfDirectory(
      atPath: folder.isEmpty ? "." : folder)
    return (entries ?? []).sorted().map { folder + $0 }.compactMap { path in
      guard path.hasPrefix(prefix) else { return nil }
      if FileKind.of(path) == .directory { return path + "/" }
      return path.hasSuffix(".yaml") || path.hasSuffix(".jsonl") ? path : nil
    }
  }
}
