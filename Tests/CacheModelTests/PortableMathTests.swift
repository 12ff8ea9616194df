import CacheModel
import Testing

@Suite("PortableMath")
struct PortableMathTests {
  private func agree(_ left: Double, _ right: Double, within relative: Double) -> Bool {
    left == right || abs(left - right) <= relative * max(abs(left), abs(right))
  }

  @Test("logarithms of known numbers")
  func knownLogarithms() {
    #expect(PortableMath.log(1) == 0)
    // The decimal expansions are from tables of constants, to 17 digits.
    #expect(agree(PortableMath.log(2), 0.69314718055994531, within: 1e-15))
    #expect(agree(PortableMath.log(10), 2.3025850929940457, within: 1e-15))
    #expect(agree(PortableMath.log(0.1), -2.3025850929940457, within: 1e-15))
    #expect(agree(PortableMath.log(2.7182818284590452), 1, within: 1e-15))
    #expect(agree(PortableMath.log(0x1p-1022), -708.39641853226411, within: 1e-15))
    #expect(agree(PortableMath.log(.greatestFiniteMagnitude), 709.78271289338400, within: 1e-15))
  }

  @Test("exponentials of known numbers, and the ends of the range")
  func knownExponentials() {
    #expect(PortableMath.exp(0) == 1)
    #expect(agree(PortableMath.exp(1), 2.7182818284590452, within: 1e-15))
    #expect(agree(PortableMath.exp(-1), 0.36787944117144232, within: 1e-15))
    #expect(agree(PortableMath.exp(10), 22026.465794806717, within: 1e-14))
    #expect(agree(PortableMath.exp(-700), 9.8596765437597708e-305, within: 1e-13))
    #expect(PortableMath.exp(710) == .infinity)
    #expect(PortableMath.exp(-746) == 0)
    #expect(PortableMath.exp(.infinity) == .infinity)
    #expect(PortableMath.exp(-.infinity) == 0)
  }

  @Test("one undoes the other, over the whole range")
  func roundTrip() {
    var random = RandomSource(seed: 2)
    for _ in 0..<5_000 {
      let x = (random.unit() - 0.5) * 1_400
      let error = abs(PortableMath.log(PortableMath.exp(x)) - x)
      #expect(error < 1e-13 * max(1, abs(x)))
    }
  }

  @Test("logarithms turn products into sums, and grow")
  func laws() {
    var random = RandomSource(seed: 4)
    for _ in 0..<5_000 {
      let (a, b) = (random.unit() * 1_000 + 1e-3, random.unit() + 1e-3)
      let sum = PortableMath.log(a) + PortableMath.log(b)
      let error = abs(PortableMath.log(a * b) - sum)
      #expect(error < 1e-13)
      #expect(PortableMath.log(a * (1 + 1e-9)) > PortableMath.log(a))
    }
  }

  @Test("powers agree with repeated multiplication and with roots")
  func powers() {
    for base in [0.5, 1.0, 2.0, 3.7, 1_000.0] {
      let square = base * base
      #expect(agree(PortableMath.pow(base, 5), square * square * base, within: 1e-13))
      #expect(agree(PortableMath.pow(base, 0.5), base.squareRoot(), within: 1e-14))
      #expect(PortableMath.pow(base, 0) == 1)
      #expect(agree(PortableMath.pow(base, -1), 1 / base, within: 1e-14))
    }
  }
}
