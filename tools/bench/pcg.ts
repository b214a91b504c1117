// The embedded editor's generation beside the same arithmetic written by hand, in this process.
import { benchGeneration } from '../../pcg-bridge/bench.ts'
import type { BenchPart } from './index.ts'

export const pcg: BenchPart = {
  name: 'pcg',
  run: async () =>
    benchGeneration().map(({ points, enginePointsPerSecond, byHandPointsPerSecond, ratio }) => ({
      label: `generate ${points.toLocaleString('en')} points`,
      value: `${(enginePointsPerSecond / 1e6).toFixed(2)} M points/s`,
      beside: `${(byHandPointsPerSecond / 1e6).toFixed(2)} M by hand`,
      ratio: ratio.toFixed(2),
      aim: '≥ 0.5',
    })),
}
