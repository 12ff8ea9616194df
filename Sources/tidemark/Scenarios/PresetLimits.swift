import CacheModel
import CommandLineInterface

/// Whose limits a preset keeps, in words.
struct PresetLimits {
  let text: String

  init(_ preset: Preset) {
    let shared = Preset.Allowance(
      capacity: Capacity(entities: 1), maximumQueries: 1, freshness: .neverExpires)
    let composition = preset.composition(shared)
    switch (composition.capacity.entities, composition.maximumQueries) {
    case (nil, nil): text = "none"
    case (0, 0): text = "zero"
    default: text = "the scenario's, \(composition.limit.rawValue)"
    }
  }
}
