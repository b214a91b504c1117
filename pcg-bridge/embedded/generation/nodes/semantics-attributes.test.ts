// Attributes, tables, filters and tags class by class, against arithmetic written from the reference: no code of the engine.
import { describe, expect, it } from 'vitest'
import { column, type Nodes, vectors } from '../graph.fixture.ts'
import { at, numbersAt, over, page, points } from '../semantics.fixture.ts'

const VALUES = [-3.5, -1, 0, 0.25, 2, 7]
const given = numbersAt(...VALUES)
const constant = (name: string, Type: string, value: unknown) => {
  const field = { Boolean: 'bBoolValue', Integer32: 'Int32Value', Integer64: 'IntValue' }[Type] ?? `${Type}Value`
  return ['PCGCreateAttributeSetSettings', { OutputTarget: name, AttributeTypes: { Type, [field]: value } }] as const
}
type Settings = Readonly<Record<string, unknown>>

/** An operation over `$Position.X` and, on its second pin, a constant. */
function binary(name: string, settings: Settings, other?: Nodes[string], pins = ['InA', 'InB']): unknown[] {
  const [first = 'InA', second = 'InB'] = pins
  const nodes: Nodes = {
    P: given,
    ...(other ? { B: other } : {}),
    N: [name, { InputSource1: '$Position.X', InputSource2: 'B', OutputTarget: 'R', ...settings }],
  }
  return column(page(nodes, [`P.Out > N.${first}`, ...(other ? [`B.Out > N.${second}`] : [])], 'N'), 'R')
}
function close(found: readonly unknown[], wanted: readonly (number | readonly number[])[], digits = 6): void {
  expect(found).toHaveLength(wanted.length)
  for (const [i, value] of wanted.entries()) {
    const [own, others]: number[][] = [[found[i]].flat() as number[], [value].flat()]
    for (const [k, part] of (others ?? []).entries()) expect(own?.[k]).toBeCloseTo(part, digits)
  }
}

describe('operations', () => {
  it.each([
    ['Sign', (a: number) => (a > 0 ? 1 : a < 0 ? -1 : 0)],
    ['Frac', (a: number) => a - Math.floor(a)],
    ['Truncate', (a: number) => (a < 0 ? Math.ceil(a) : Math.floor(a))],
    ['Round', (a: number) => Math.floor(a + 0.5)],
    ['Sqrt', (a: number) => (a < 0 ? 0 : a ** 0.5)],
    ['Abs', (a: number) => (a < 0 ? -a : a)],
    ['Floor', Math.floor],
    ['Ceil', Math.ceil],
    ['OneMinus', (a: number) => 1 - a],
    ['Inc', (a: number) => a + 1],
    ['Dec', (a: number) => a - 1],
    ['Negate', (a: number) => -a],
  ] as const)('PCGMetadataMathsSettings %s', (Operation, of) => {
    close(binary('PCGMetadataMathsSettings', { Operation }), VALUES.map(of))
  })
  it.each([
    ['Add', (a: number, b: number) => a + b],
    ['Subtract', (a: number, b: number) => a - b],
    ['Multiply', (a: number, b: number) => a * b],
    ['Divide', (a: number, b: number) => a / b],
    ['Max', (a: number, b: number) => (a > b ? a : b)],
    ['Min', (a: number, b: number) => (a < b ? a : b)],
    ['Pow', (a: number, b: number) => a ** b],
    ['ClampMin', (a: number, b: number) => (a < b ? b : a)],
    ['ClampMax', (a: number, b: number) => (a > b ? b : a)],
    ['Modulo', (a: number, b: number) => a - b * Math.trunc(a / b)],
    ['Set', (_: number, b: number) => b],
  ] as const)('PCGMetadataMathsSettings %s', (Operation, of) => {
    for (const b of Operation === 'Pow' ? [2] : [2, -2])
      close(
        binary('PCGMetadataMathsSettings', { Operation }, constant('B', 'Double', b)),
        VALUES.map((a) => of(a, b)),
      )
  })
  it.each([
    ['Clamp', (a: number) => Math.max(-1, Math.min(3, a))],
    ['Lerp', (a: number) => a + (-1 - a) * 3],
  ] as const)('PCGMetadataMathsSettings %s: of three', (Operation, of) => {
    const nodes: Nodes = {
      P: given,
      B: constant('B', 'Double', -1),
      C: constant('C', 'Double', 3),
      N: [
        'PCGMetadataMathsSettings',
        { Operation, InputSource1: '$Position.X', InputSource2: 'B', InputSource3: 'C', OutputTarget: 'R' },
      ],
    }
    close(column(page(nodes, ['P.Out > N.InA', 'B.Out > N.InB', 'C.Out > N.InC'], 'N'), 'R'), VALUES.map(of))
  })

  const [A, B] = [
    [1, -2, 3],
    [4, 5, -6],
  ] as const
  it.each([
    ['Cross', [-2 * -6 - 3 * 5, 3 * 4 - 1 * -6, 1 * 5 - -2 * 4]],
    ['Dot', 1 * 4 + -2 * 5 + 3 * -6],
    ['Distance', Math.sqrt(3 ** 2 + 7 ** 2 + 9 ** 2)],
    ['Normalize', A.map((value) => value / Math.sqrt(14))],
    ['Length', Math.sqrt(14)],
  ] as const)('PCGMetadataVectorSettings %s', (Operation, wanted) => {
    const nodes: Nodes = {
      A: constant('A', 'Vector', A),
      B: constant('B', 'Vector', B),
      N: ['PCGMetadataVectorSettings', { Operation, InputSource1: 'A', InputSource2: 'B', OutputTarget: 'R' }],
    }
    const one = Operation === 'Normalize' || Operation === 'Length'
    close(column(page(nodes, ['A.Out > N.InA', ...(one ? [] : ['B.Out > N.InB'])], 'N'), 'R'), [wanted])
  })
  it.each([
    // A quarter turn about Z takes (x, y, z) to (-y, x, z); scale 2 and a shift of 10 along X before and after it.
    ['TransformDirection', [2, 1, 3]],
    ['InverseTransformDirection', [-2, -1, 3]],
    ['TransformLocation', [4 + 10, 2, 6]],
    ['InverseTransformLocation', [-2 / 2, -(1 - 10) / 2, 3 / 2]],
  ] as const)('PCGMetadataVectorSettings %s', (Operation, wanted) => {
    const nodes: Nodes = {
      P: points(at(10, 0, 0, { Transform: { location: [10, 0, 0], rotation: [0, 90, 0], scale: [2, 2, 2] } })),
      A: constant('A', 'Vector', A),
      N: ['PCGMetadataVectorSettings', { Operation, InputSource1: 'A', InputSource2: '$Transform', OutputTarget: 'R' }],
    }
    close(column(page(nodes, ['A.Out > N.InA', 'P.Out > N.InB'], 'N'), 'R'), [wanted])
  })
  it('PCGMetadataVectorSettings RotateAroundAxis: by degrees, counter-clockwise seen against the axis', () => {
    const nodes: Nodes = {
      A: constant('A', 'Vector', [1, 0, 5]),
      B: constant('B', 'Vector', [0, 0, 2]),
      C: constant('C', 'Double', 90),
      N: [
        'PCGMetadataVectorSettings',
        { Operation: 'RotateAroundAxis', InputSource1: 'A', InputSource2: 'B', InputSource3: 'C', OutputTarget: 'R' },
      ],
    }
    close(column(page(nodes, ['A.Out > N.InA', 'B.Out > N.InB', 'C.Out > N.InC'], 'N'), 'R'), [[0, 1, 5]])
  })

  it('PCGAttributeRemapSettings: linear from range to range, also beyond it; the ranges turn only when permitted', () => {
    const ranges = { InRangeMin: 0, InRangeMax: 2, OutRangeMin: 10, OutRangeMax: 20 }
    const of = (settings: Settings) =>
      over(
        'PCGAttributeRemapSettings',
        { InputSource: '$Position.X', OutputTarget: 'R', ...ranges, ...settings },
        given,
        'R',
      )
    close(
      of({}),
      VALUES.map((a) => 10 + (a / 2) * 10),
    )
    close(
      of({ bIgnoreValuesOutsideInputRange: true }),
      VALUES.map((a) => (a < 0 || a > 2 ? a : 10 + a * 5)),
    )
    close(
      of({ OutRangeMin: 0, OutRangeMax: 1, bClampToUnitRange: true }),
      VALUES.map((a) => Math.min(1, Math.max(0, a / 2))),
    )
    close(
      of({ OutRangeMin: 20, OutRangeMax: 10, bAllowInverseRange: true }),
      VALUES.map((a) => 20 - a * 5),
    )
    close(
      of({ OutRangeMin: 20, OutRangeMax: 10 }),
      VALUES.map((a) => 10 + a * 5),
    )
  })

  it.each([
    ['Acos', (a: number) => Math.acos(Math.min(1, Math.max(-1, a)))],
    ['Asin', (a: number) => Math.asin(Math.min(1, Math.max(-1, a)))],
    ['Atan', Math.atan],
    ['Cos', Math.cos],
    ['Sin', Math.sin],
    ['Tan', Math.tan],
    ['DegToRad', (a: number) => (a / 360) * 2 * Math.PI],
    ['RadToDeg', (a: number) => (a / (2 * Math.PI)) * 360],
  ] as const)('PCGMetadataTrigSettings %s', (Operation, of) => {
    close(binary('PCGMetadataTrigSettings', { Operation }), VALUES.map(of))
  })
  it('PCGMetadataTrigSettings Atan2: the angle of (second, first)', () => {
    const found = binary('PCGMetadataTrigSettings', { Operation: 'Atan2' }, constant('B', 'Double', 2))
    close(
      found,
      VALUES.map((a) => Math.atan2(a, 2)),
    )
  })

  it.each([
    ['Equal', (a: number, b: number) => Math.abs(a - b) <= 0.5],
    ['NotEqual', (a: number, b: number) => Math.abs(a - b) > 0.5],
    ['Greater', (a: number, b: number) => a > b],
    ['GreaterOrEqual', (a: number, b: number) => a >= b],
    ['Less', (a: number, b: number) => a < b],
    ['LessOrEqual', (a: number, b: number) => a <= b],
  ] as const)('PCGMetadataCompareSettings %s', (Operation, of) => {
    const found = binary('PCGMetadataCompareSettings', { Operation, Tolerance: 0.5 }, constant('B', 'Double', 0))
    expect(found).toEqual(VALUES.map((a) => of(a, 0)))
  })

  it('PCGMetadataBitwiseSettings: And, Or, Xor, Not of whole numbers, also beyond 32 bits', () => {
    const whole = [5, -1, 2 ** 40 + 3]
    const of = (Operation: string, b: number) =>
      column(
        page(
          {
            P: numbersAt(...whole),
            B: constant('B', 'Integer64', b),
            N: [
              'PCGMetadataBitwiseSettings',
              { Operation, InputSource1: '$Position.X', InputSource2: 'B', OutputTarget: 'R' },
            ],
          },
          ['P.Out > N.InA', ...(Operation === 'Not' ? [] : ['B.Out > N.InB'])],
          'N',
        ),
        'R',
      )
    expect(of('And', 6)).toEqual([4, 6, 2])
    expect(of('Or', 6)).toEqual([7, -1, 2 ** 40 + 7])
    expect(of('Xor', 6)).toEqual([3, -7, 2 ** 40 + 5])
    expect(of('Not', 0)).toEqual([-6, 0, -(2 ** 40) - 4])
  })

  it('PCGMetadataBooleanSettings: truth of what is not zero', () => {
    const truths = VALUES.map((a) => a !== 0)
    for (const b of [true, false]) {
      const of = (Operation: string) => binary('PCGMetadataBooleanSettings', { Operation }, constant('B', 'Boolean', b))
      expect(of('And')).toEqual(truths.map((a) => a && b))
      expect(of('Or')).toEqual(truths.map((a) => a || b))
      expect(of('Xor')).toEqual(truths.map((a) => a !== b))
    }
    expect(binary('PCGMetadataBooleanSettings', { Operation: 'Not' })).toEqual(truths.map((a) => !a))
  })

  it('PCGMetadataStringOpSettings: appends, replaces', () => {
    const text = (name: string, value: string) => constant(name, 'String', value)
    const nodes: Nodes = {
      A: text('A', 'a-b-c'),
      B: text('B', '-'),
      C: text('C', '+'),
      N: [
        'PCGMetadataStringOpSettings',
        { Operation: 'Append', InputSource1: 'A', InputSource2: 'B', InputSource3: 'C', OutputTarget: 'R' },
      ],
    }
    expect(column(page(nodes, ['A.Out > N.InA', 'B.Out > N.InB'], 'N'), 'R')).toEqual(['a-b-c-'])
  })

  it('PCGMetadataMakeVectorSettings: of numbers, or of a shorter vector and numbers', () => {
    const of = (OutputType: string, more: Settings, sources: readonly string[]) => {
      const inputs = Object.fromEntries(sources.map((source, i) => [`InputSource${i + 1}`, source]))
      const pins = ['X', 'Y', 'Z', 'W'].slice(0, sources.length)
      const nodes: Nodes = {
        P: points(at(1, 2, 3, { Density: 0.5 })),
        N: ['PCGMetadataMakeVectorSettings', { OutputType, ...more, ...inputs, OutputTarget: 'R' }],
      }
      return column(
        page(
          nodes,
          pins.map((pin) => `P.Out > N.${pin}`),
          'N',
        ),
        'R',
      )
    }
    const axes = ['$Position.X', '$Position.Y', '$Position.Z', '$Density']
    expect(of('Vector2', {}, axes.slice(0, 2))).toEqual([[1, 2]])
    expect(of('Vector', {}, axes.slice(0, 3))).toEqual([[1, 2, 3]])
    expect(of('Vector4', {}, axes)).toEqual([[1, 2, 3, 0.5]])
    expect(of('Vector', { MakeVector3Op: 'Vector2AndValue' }, ['$Position', '$Density'])).toEqual([[1, 2, 0.5]])
    expect(of('Vector4', { MakeVector4Op: 'TwoVector2' }, ['$Position', '$Position'])).toEqual([[1, 2, 1, 2]])
    const three = of('Vector4', { MakeVector4Op: 'Vector3AndValue' }, ['$Position', '$Density'])
    expect(three).toEqual([[1, 2, 3, 0.5]])
  })

  it('PCGMetadataMakeTransformSettings and PCGMetadataBreakTransformSettings: place, turn and size, and back', () => {
    const nodes: Nodes = {
      P: points(at(1, 2, 3, { Transform: { rotation: [0, 90, 0], scale: [4, 5, 6] } })),
      M: [
        'PCGMetadataMakeTransformSettings',
        { InputSource1: '$Position', InputSource2: '$Rotation', InputSource3: '$Scale', OutputTarget: 'T' },
      ],
      B: ['PCGMetadataBreakTransformSettings', { InputSource: 'T', OutputTarget: 'R' }],
    }
    const wires = ['Translation', 'Rotation', 'Scale'].map((pin) => `P.Out > M.${pin}`)
    const of = (pin: string) => column(page(nodes, [...wires, 'M.Out > B.In'], 'B', pin), 'R')
    expect(of('Translation')).toEqual([[1, 2, 3]])
    expect(of('Scale')).toEqual([[4, 5, 6]])
    const half = Math.sqrt(0.5)
    close(of('Rotation'), [[0, 0, half, half]])
  })
})

/** The axes of a rotator, by the three turns one after another: roll about X, pitch about Y, yaw about Z. */
function axesOf([pitch = 0, yaw = 0, roll = 0]: readonly number[]): number[][] {
  const [p, y, r] = [pitch, yaw, roll].map((angle) => (angle * Math.PI) / 180) as [number, number, number]
  const [sp, cp, sy, cy, sr, cr] = [Math.sin(p), Math.cos(p), Math.sin(y), Math.cos(y), Math.sin(r), Math.cos(r)]
  return [
    [cp * cy, cp * sy, sp],
    [sr * sp * cy - cr * sy, sr * sp * sy + cr * cy, -sr * cp],
    [-(cr * sp * cy + sr * sy), cy * sr - cr * sp * sy, cr * cp],
  ]
}
const dot = (a: readonly number[], b: readonly number[]) => a.reduce((sum, value, k) => sum + value * (b[k] ?? 0), 0)
const unit = (a: readonly number[]) => a.map((value) => value / Math.sqrt(dot(a, a)))

describe('rotators', () => {
  const FIRST = [1, 2, -0.5]
  const SECOND = [-0.3, 1, 2]
  const made = (Operation: string) => {
    const name = Operation.replace('MakeRotFrom', '').toUpperCase()
    const pins = name === 'AXES' ? ['Forward', 'Right', 'Up'] : name.split('')
    const source = (k: number) => `V${k}`
    const nodes: Nodes = {
      V0: constant('V0', 'Vector', FIRST),
      V1: constant('V1', 'Vector', SECOND),
      V2: constant('V2', 'Vector', [0, 0, 1]),
      N: [
        'PCGMetadataMakeRotatorSettings',
        { Operation, InputSource1: 'V0', InputSource2: 'V1', InputSource3: 'V2', OutputTarget: 'R' },
      ],
    }
    const found = page(
      nodes,
      pins.map((pin, k) => `${source(k)}.Out > N.${pin}`),
      'N',
    )
    return { axes: axesOf(column(found, 'R')[0] as number[]), name: name === 'AXES' ? 'XY' : name }
  }

  it.each(['X', 'Y', 'Z', 'Xy', 'Yx', 'Xz', 'Zx', 'Yz', 'Zy', 'Axes'].map((name) => `MakeRotFrom${name}`))(
    'PCGMetadataMakeRotatorSettings %s: the first axis exactly, the second in the plane of both',
    (Operation) => {
      const { axes, name } = made(Operation)
      const own = (axis: string | undefined) => axes['XYZ'.indexOf(axis ?? '')] ?? []
      close([own(name[0])], [unit(FIRST)])
      for (const [i, a] of axes.entries()) for (const b of axes.slice(i + 1)) expect(dot(a, b)).toBeCloseTo(0, 9)
      const [x = [], y = [], z = []] = axes
      const cross = [0, 1, 2].map(
        (k) => (x[(k + 1) % 3] ?? 0) * (y[(k + 2) % 3] ?? 0) - (x[(k + 2) % 3] ?? 0) * (y[(k + 1) % 3] ?? 0),
      )
      close([z], [cross])
      if (name.length === 1) return
      // Second minus its part along the first, as a unit vector.
      const along = dot(SECOND, unit(FIRST))
      close([own(name[1])], [unit(SECOND.map((value, k) => value - along * (unit(FIRST)[k] ?? 0)))])
    },
  )

  it('PCGMetadataMakeRotatorSettings MakeRotFromAngles: roll, pitch and yaw as they are', () => {
    const nodes: Nodes = {
      A: constant('A', 'Double', 10),
      B: constant('B', 'Double', 20),
      C: constant('C', 'Double', 30),
      N: [
        'PCGMetadataMakeRotatorSettings',
        { Operation: 'MakeRotFromAngles', InputSource1: 'A', InputSource2: 'B', InputSource3: 'C', OutputTarget: 'R' },
      ],
    }
    const found = page(nodes, ['A.Out > N.Roll', 'B.Out > N.Pitch', 'C.Out > N.Yaw'], 'N')
    expect(column(found, 'R')).toEqual([[20, 30, 10]])
  })

  /** Where the axes end after a quaternion. */
  const turned = ([x = 0, y = 0, z = 0, w = 1]: readonly number[]) => [
    [1 - 2 * (y * y + z * z), 2 * (x * y + z * w), 2 * (x * z - y * w)],
    [2 * (x * y - z * w), 1 - 2 * (x * x + z * z), 2 * (y * z + x * w)],
    [2 * (x * z + y * w), 2 * (y * z - x * w), 1 - 2 * (x * x + y * y)],
  ]
  /** First `a`, then `b`: each axis of `a` in the frame of `b`. */
  const then = (a: number[][], b: number[][]) =>
    a.map((axis) => [0, 1, 2].map((k) => axis.reduce((sum, value, i) => sum + value * (b[i]?.[k] ?? 0), 0)))
  const transposed = (m: number[][]) => [0, 1, 2].map((k) => m.map((axis) => axis[k] ?? 0))

  it('PCGMetadataRotatorSettings: combines, inverts, normalizes, blends and changes frames', () => {
    const [A, B] = [
      [10, 20, 30],
      [-40, 50, 5],
    ] as const
    const of = (Operation: string, pins: readonly string[]) => {
      const nodes: Nodes = {
        A: constant('A', 'Rotator', A),
        B: constant('B', 'Rotator', B),
        C: constant('C', 'Double', 0.25),
        N: [
          'PCGMetadataRotatorSettings',
          { Operation, InputSource1: 'A', InputSource2: 'B', InputSource3: 'C', OutputTarget: 'R' },
        ],
      }
      const wires = pins.map((pin, k) => `${'ABC'[k]}.Out > N.${pin}`)
      return turned(column(page(nodes, wires, 'N'), 'R')[0] as number[])
    }
    const [a, b] = [axesOf(A), axesOf(B)]
    close(of('Invert', ['InA']), transposed(a))
    close(of('Normalize', ['InA']), a)
    close(of('Combine', ['InA', 'InB']), then(a, b))
    close(of('TransformRotation', ['InA', 'Transform']), then(a, b))
    close(of('InverseTransformRotation', ['InA', 'Transform']), then(a, transposed(b)))
    // A quarter of the way: nearer to A than to B, between both.
    const angle = (m: number[][], n: number[][]) =>
      Math.acos((dot(m[0] ?? [], n[0] ?? []) + dot(m[1] ?? [], n[1] ?? []) + dot(m[2] ?? [], n[2] ?? []) - 1) / 2)
    const blend = of('Lerp', ['InA', 'InB', 'Ratio'])
    expect(angle(blend, a) + angle(blend, b)).toBeCloseTo(angle(a, b), 6)
    expect(angle(blend, a) / angle(a, b)).toBeCloseTo(0.25, 1)
  })
})

describe('attributes', () => {
  it('PCGAttributeTransferSettings: the attribute of the source, row by row, or one row for all', () => {
    const nodes: Nodes = {
      S: points(at(7), at(8)),
      T: numbersAt(1, 2),
      N: ['PCGAttributeTransferSettings', { InputSource: '$Position.X', OutputTarget: 'From' }],
    }
    expect(column(page(nodes, ['T.Out > N.Target', 'S.Out > N.Source'], 'N'), 'From')).toEqual([7, 8])
    const one = { ...nodes, S: points(at(9)) }
    expect(column(page(one, ['T.Out > N.Target', 'S.Out > N.Source'], 'N'), 'From')).toEqual([9, 9])
  })

  it('PCGParseStringSettings: numbers, vectors and truths from text', () => {
    const of = (text: string, TargetType: string) => {
      const nodes: Nodes = {
        A: constant('A', 'String', text),
        N: ['PCGParseStringSettings', { InputSource: 'A', TargetType, OutputTarget: 'R' }],
      }
      return column(page(nodes, ['A.Out > N.In'], 'N'), 'R')
    }
    expect(of('-2.5', 'Double')).toEqual([-2.5])
    expect(of('7', 'Integer32')).toEqual([7])
    expect(of('X=1 Y=-2 Z=3.5', 'Vector')).toEqual([[1, -2, 3.5]])
    expect(of('true', 'Boolean')).toEqual([true])
  })

  it('PCGHashAttributeSettings: equal values have equal numbers, different ones different numbers', () => {
    const found = over('PCGHashAttributeSettings', { InputSource1: '$Position.X' }, numbersAt(1, 2, 1, 3), 'Hash')
    expect(found[0]).toBe(found[2])
    expect(new Set(found).size).toBe(3)
  })

  it('PCGAttributeRemoveDuplicatesSettings: the first row of each value', () => {
    const settings = { AttributeSelectors: ['$Position.X'] }
    const rows = points(at(1, 1), at(2, 2), at(1, 3), at(2, 4), at(3, 5))
    const found = over('PCGAttributeRemoveDuplicatesSettings', settings, rows, '$Position') as number[][]
    expect(found.map(([, y]) => y)).toEqual([1, 2, 5])
  })

  it.each([
    [0, -3.5],
    [2, 0],
    [-1, 7],
    [6, undefined],
    [-7, undefined],
  ])(
    'PCGAttributeGetFromIndexSettings and PCGAttributeGetFromPointIndexSettings %d: that row, from the end when negative',
    (Index, wanted) => {
      const row = over('PCGAttributeGetFromIndexSettings', { Index }, given, '$Position') as number[][]
      expect(row[0]?.[0]).toBe(wanted)
      const settings = { Index, InputSource: '$Position.X', OutputAttributeName: 'X' }
      expect(over('PCGAttributeGetFromPointIndexSettings', settings, given, 'X', 'Attribute')[0]).toBe(wanted)
      const point = over('PCGAttributeGetFromPointIndexSettings', settings, given, '$Position', 'Point') as number[][]
      expect(point[0]?.[0]).toBe(wanted)
    },
  )

  it('PCGGetAttributesSettings: names and types', () => {
    const nodes: Nodes = {
      A: constant('Size', 'Double', 1),
      N: ['PCGGetAttributesSettings', { bGetType: true }],
    }
    const found = page(nodes, ['A.Out > N.In'], 'N')
    expect(column(found, 'Attribute')).toEqual(['Size'])
    expect(column(found, 'Type')).toEqual(['Double'])
  })

  it('PCGNumberOfPointsSettings, PCGNumberOfEntriesSettings and PCGDataNumSettings count', () => {
    const nodes: Nodes = {
      A: numbersAt(1, 2, 3),
      B: numbersAt(4),
      P: ['PCGNumberOfPointsSettings'],
      E: ['PCGNumberOfEntriesSettings'],
      D: ['PCGDataNumSettings'],
    }
    const wires = ['P', 'E', 'D'].flatMap((node) => [`A.Out > ${node}.In`, `B.Out > ${node}.In`])
    expect(column(page(nodes, wires, 'P'), 'NumPoints')).toEqual([3, 1])
    expect(column(page(nodes, wires, 'E'), 'NumEntries')).toEqual([3, 1])
    expect(column(page(nodes, wires, 'D'), 'DataCount')).toEqual([2])
  })
})

describe('filters of data', () => {
  const many: Nodes = { A: numbersAt(1), B: numbersAt(2), C: numbersAt(3), D: constant('K', 'Double', 1) }
  const wires = ['A', 'B', 'C', 'D'].map((node) => `${node}.Out > N.In`)
  const kept = (node: Nodes[string], pin = 'InsideFilter') => page({ ...many, N: node }, wires, 'N', pin).dataCount

  it('PCGFilterByIndexSettings: data by place, like slices', () => {
    const of = (SelectedIndices: string, bInvertFilter = false) =>
      kept(['PCGFilterByIndexSettings', { SelectedIndices, bInvertFilter }])
    expect(of('0,2')).toBe(2)
    expect(of('1:')).toBe(3)
    expect(of('-1')).toBe(1)
    expect(of('0', true)).toBe(3)
  })

  it('PCGFilterByTypeSettings: data of the type, the rest beside', () => {
    expect(kept(['PCGFilterByTypeSettings', { TargetType: 'Point' }])).toBe(3)
    expect(kept(['PCGFilterByTypeSettings', { TargetType: 'Param' }])).toBe(1)
    expect(kept(['PCGFilterByTypeSettings', { TargetType: 'Param', bShowOutsideFilter: true }], 'OutsideFilter')).toBe(
      3,
    )
  })

  it('PCGFilterByAttributeSettings: data that have the attribute, or whose value passes', () => {
    expect(kept(['PCGFilterByAttributeSettings', { Attribute: 'K' }])).toBe(1)
    const value = {
      FilterMode: 'FilterByValue',
      TargetAttribute: '$Position.X',
      FilterOperator: 'Greater',
      Threshold: { bUseConstantThreshold: true, AttributeTypes: { Type: 'Double', DoubleValue: 1.5 } },
    }
    expect(kept(['PCGFilterByAttributeSettings', value])).toBe(2)
  })

  it('PCGRemoveEmptyDataSettings: drops data without rows', () => {
    const nodes: Nodes = { ...many, D: points(), N: ['PCGRemoveEmptyDataSettings'] }
    expect(page(nodes, wires, 'N').dataCount).toBe(3)
  })

  it('PCGFilterElementsByIndexSettings: rows by place, given as text or as data', () => {
    const rows = (settings: Settings, more: Nodes = {}) => {
      const nodes: Nodes = { P: given, ...more, N: ['PCGFilterElementsByIndexSettings', settings] }
      const edges = ['P.Out > N.In', ...(more['I'] ? ['I.Out > N.Index Selection'] : [])]
      return vectors(page(nodes, edges, 'N', 'InsideFilter')).map(([x]) => x)
    }
    expect(rows({ bSelectIndicesByInput: false, SelectedIndices: '1:3,-1' })).toEqual([-1, 0, 7])
    expect(rows({ bSelectIndicesByInput: false, SelectedIndices: '0', bInvertFilter: true })).toEqual(VALUES.slice(1))
    expect(rows({ IndexSelectionAttribute: '$Position.X' }, { I: numbersAt(0, 4) })).toEqual([-3.5, 2])
  })
})

describe('tags', () => {
  const tagged = (TagsToAdd: string, node: Nodes[string]) => {
    const nodes: Nodes = { P: numbersAt(1), T: ['PCGAddTagSettings', { TagsToAdd }], N: node }
    return page(nodes, ['P.Out > T.In', 'T.Out > N.In'], 'N')
  }

  it('PCGDeleteTagsSettings: without the tags named, or with those alone', () => {
    expect(tagged('a,b:1,c', ['PCGDeleteTagsSettings', { SelectedTags: 'a,b' }]).tags).toEqual(['c'])
    const keep = { SelectedTags: 'a,b', Operation: 'KeepOnlySelectedTags' }
    expect(tagged('a,b:1,c', ['PCGDeleteTagsSettings', keep]).tags).toEqual(['a', 'b:1'])
  })

  it('PCGReplaceTagsSettings: each tag by the one at its place, all by a single one', () => {
    const of = (SelectedTags: string, ReplacedTags: string) =>
      tagged('a,b,c', ['PCGReplaceTagsSettings', { SelectedTags, ReplacedTags }]).tags
    expect(of('a,b', 'x,y')).toEqual(['x', 'y', 'c'])
    expect(of('a', 'z')).toEqual(['z', 'b', 'c'])
  })

  it('PCGGetTagsSettings and PCGTagsToAttributeSetSettings: tags as rows, and as attributes', () => {
    expect(column(tagged('a,b:1', ['PCGGetTagsSettings']), 'Tag')).toEqual(['a', 'b:1'])
    const set = tagged('a,b:1', ['PCGTagsToAttributeSetSettings'])
    expect(column(set, 'a')).toEqual([true])
    expect(column(set, 'b')).toEqual(['1'])
  })

  it('PCGSortTagsSettings: data by the value of a tag, numbers as numbers', () => {
    const nodes: Record<string, Nodes[string]> = { N: ['PCGSortTagsSettings', { Tag: 'n' }] }
    const wires: string[] = []
    for (const n of [10, 9, 100]) {
      nodes[`P${n}`] = numbersAt(n)
      nodes[`T${n}`] = ['PCGAddTagSettings', { TagsToAdd: `n:${n}` }]
      wires.push(`P${n}.Out > T${n}.In`, `T${n}.Out > N.In`)
    }
    const order = [0, 1, 2].map((index) => vectors(page(nodes, wires, 'N', undefined, index))[0]?.[0])
    expect(order).toEqual([9, 10, 100])
  })
})
