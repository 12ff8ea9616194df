import Foundation
package import Workloads

extension SharedModels {
  /// The models of the repository.
  package static let shipped: SharedModels = {
    let folder = URL(filePath: #filePath)
      .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().appending(path: "Scenarios/models")
    let files =
      (try? FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil))
      ?? []
    return SharedModels(
      files.filter { $0.pathExtension == "yaml" }.reduce(into: [:]) { models, file in
        models[file.deletingPathExtension().lastPathComponent] =
          (try? Data(contentsOf: file)).map { [UInt8]($0) }
      })
  }()
}
