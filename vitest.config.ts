import { tmpdir } from 'node:os'
import path from 'node:path'
import { defineConfig } from 'vitest/config'
import { builtWorkers } from './tools/built-workers.ts'

// Two projects: `unit` beside the code, `e2e` over real sockets, processes and a browser.
export default defineConfig({
  plugins: [builtWorkers()],
  test: {
    testTimeout: 120_000,
    hookTimeout: 180_000,
    // What a test waits for may take its time on a busy machine; the default is one second.
    expect: { poll: { timeout: 20_000 } },
    // One more than the cores the run is meant for: scenarios wait for the programs they start. Four take as long.
    maxWorkers: 3,
    // Every test puts back what it changes of a module or a global, so a worker loads the sources once, not for each file.
    isolate: false,
    // What a test throws away is not moved first: an eighth of the processor time of a worker.
    execArgv: ['--max-semi-space-size=48'],
    // Hundreds of programs that tests start compile the same modules, and strip their types.
    env: { NODE_COMPILE_CACHE: path.join(tmpdir(), 'gantry-e2e-compiled') },
    setupFiles: [
      'tools/property-seed.ts',
      ...(process.env.GANTRY_SCENARIOS_ON === 'fleet' ? ['e2e/scenarios/fleet-place.fixture.ts'] : []),
    ],
    projects: [
      {
        extends: true,
        test: {
          name: 'unit',
          include: [
            'gateway/**/*.test.ts',
            'pcg-bridge/**/*.test.ts',
            'renderer/**/*.test.ts',
            'main/**/*.test.ts',
            'preload/**/*.test.ts',
            'tools/**/*.test.ts',
          ],
        },
      },
      { extends: true, test: { name: 'e2e', include: ['e2e/**/*.test.ts'] } },
    ],
  },
})
