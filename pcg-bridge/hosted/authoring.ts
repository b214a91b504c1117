// The third toolset of a hosted editor: its tools over any driver, in the words of the other tools.
import { randomUUID } from 'node:crypto'
import type { AuthoringInput, AuthoringName, AuthoringOutput } from '../catalog/index.ts'
import type { CallContext } from '../contract/index.ts'
import { emptyLayout } from '../review/graph.ts'
import { lintGraph } from '../review/lint/lint.ts'
import { printText } from '../review/text.ts'
import { type Converted, fromDocument } from '../review/transfer.ts'
import type { WatchedTurns } from './before-turn.ts'
import { cellCosts } from './cells.ts'
import { abTest, type Experiment, growthOf, sweep, testGraph } from './experiments.ts'
import { readGraph } from './export-graph.ts'
import type { Leases } from './leases.ts'
import { type PatchSite, patchedGraph } from './patch-graph.ts'
import { templateTools } from './template-tools.ts'
import { diffLines, simulatedTurn, turnTools } from './turn-tools.ts'
import { findUsages } from './usages.ts'
import { verifyComponent } from './verify.ts'

export type Authoring = {
  readonly [K in AuthoringName]: (input: AuthoringInput<K>, context: CallContext) => Promise<AuthoringOutput<K>>
}

export function authoringTools(
  site: PatchSite,
  experiment: Experiment,
  turns: Pick<WatchedTurns, 'startOf'>,
  leases: Leases,
): Authoring {
  const read = async (path: string, context: CallContext): Promise<Converted> =>
    fromDocument(await readGraph(site, path, context))

  return {
    async get_pcg_graph_text({ pcg_graph_path, layout }, context) {
      const { graph, unheld } = await read(pcg_graph_path, context)
      const text = printText(layout ? graph : { ...graph, layout: emptyLayout() })
      return { asset_path: graph.path ?? pcg_graph_path, text, not_in_text: [...unheld] }
    },

    async patch_pcg_graph({ pcg_graph_path, steps, dry_run, picture, actor_name: actor }, context) {
      const batchId = context.batchId ?? `patch-${randomUUID()}`
      const patched = await patchedGraph(site, pcg_graph_path, steps, dry_run, { ...context, batchId })
      const { report, before, diff } = patched
      const { graph: path, ...rest } = report
      const shown =
        picture === null || dry_run
          ? null
          : await simulatedTurn(experiment, { path, before, diff }, { actor, picture }, context)
      return {
        asset_path: path,
        batch_id: report.applied ? batchId : null,
        ...rest,
        diff: diffLines(diff),
        before_and_after: shown,
      }
    },

    ...turnTools(experiment, turns, read),
    ...templateTools(site, read),
    ...leaseTools(leases, site.editor),
    find_pcg_usages: ({ used }, context) => findUsages(site, used, context),

    async lint_pcg_graph({ pcg_graph_path }, context) {
      const { graph } = await read(pcg_graph_path, context)
      const findings = lintGraph(graph)
      return {
        asset_path: graph.path ?? pcg_graph_path,
        clean: findings.every(({ severity }) => severity === 'info'),
        findings: findings.map(({ rule, severity, node, message, remedy, patch }) => ({
          rule,
          severity,
          node,
          message,
          remedy,
          fix: patch ? [...patch] : null,
        })),
      }
    },

    verify_pcg_component: ({ actor_name }, context) => verifyComponent(experiment, actor_name, context),
    test_pcg_graph: (input, context) => testGraph(experiment, input, context),
    ab_test_pcg_graph: (input, context) => abTest(experiment, input, context),
    sweep_pcg_graph: (input, context) => sweep(experiment, input, context),
    async profile_pcg_component({ actor_name: given, sizes, cell_size: cellSize }, context) {
      const { actor_name, asset_path, duration_ms, nodes, compared } = await verifyComponent(experiment, given, context)
      const growth = await growthOf(experiment, { asset_path, actor_name, sizes }, context)
      const cells = await cellCosts(experiment, { asset_path, actor_name, cellSize }, context)
      return { actor_name, asset_path, duration_ms, nodes, compared, ...cells, growth }
    },
  }
}

function leaseTools(
  leases: Leases,
  editor: PatchSite['editor'],
): Pick<Authoring, 'lease_pcg_graph' | 'release_pcg_graph'> {
  return {
    async lease_pcg_graph({ pcg_graph_path, seconds, wait_ms }, context) {
      const { graph, holder, expiresAt } = await leases.acquire(pcg_graph_path, context, seconds * 1000, wait_ms)
      return { asset_path: graph, holder, expires_at: expiresAt }
    },
    async release_pcg_graph({ pcg_graph_path }, context) {
      const released = leases.release(pcg_graph_path, context)
      await editor.endTurn?.(context)
      return { asset_path: pcg_graph_path, released, already_released: !released }
    },
  }
}
