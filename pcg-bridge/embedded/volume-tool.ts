// Spawns a PCG volume. Everything answered is read back from the actor that stands in the level.

import { checkVolume, triple } from '../editor/arguments.ts'
import { type ActorDoc, newComponent } from '../editor/document.ts'
import { PcgError, type Tools } from '../editor/editor.ts'
import { boundsOf } from './bounds.ts'
import { type EditorSession, editLevel, runnableAt } from './session.ts'

const MOST_ACTORS = 20_000

function nameFor(
  actors: readonly ActorDoc[],
  serials: Record<string, number>,
  wanted: string | undefined,
): { name: string; label: string; skipped: boolean } {
  const taken = (name: string) =>
    actors.some((actor) => [actor.name, actor.label].some((n) => n.toLowerCase() === name.toLowerCase()))
  const internal = wanted?.replaceAll(' ', '_')
  if (wanted !== undefined && internal !== undefined && !taken(wanted) && !taken(internal))
    return { name: internal, label: wanted, skipped: false }
  let serial = serials['PCGVolume'] ?? 0
  while (taken(`PCGVolume_${serial}`)) serial += 1
  serials['PCGVolume'] = serial + 1
  return { name: `PCGVolume_${serial}`, label: `PCGVolume_${serial}`, skipped: wanted !== undefined }
}

export function volumeTool(session: EditorSession): Pick<Tools, 'spawn_pcg_volume'> {
  return {
    async spawn_pcg_volume(input, context) {
      checkVolume(input)
      const graph = input.pcg_graph_path === undefined ? null : runnableAt(session, input.pcg_graph_path).path
      const spawned: Omit<ActorDoc, 'name' | 'label'> = {
        class: 'PCGVolume',
        location: triple('location', input.location),
        rotation: triple('rotation', input.rotation, 1e6),
        scale: [1, 1, 1],
        halfSize: input.extent ? triple('extent', input.extent) : null,
        tags: [],
        component: newComponent('PCGComponent', graph),
      }
      const call = { tool: 'spawn_pcg_volume', args: input, context }
      const named = await editLevel(session, call, (level) => {
        if (level.actors.length >= MOST_ACTORS)
          throw new PcgError('INVALID_ARGUMENT', `The level holds at most ${MOST_ACTORS} actors`)
        const found = nameFor(level.actors, level.serials, input.name)
        level.actors.push({ name: found.name, label: found.label, ...spawned })
        return found
      })
      const actor = session.store.level.actors.find((item) => item.name === named.name)
      if (!actor) throw new PcgError('EDITOR_ERROR', 'The spawned volume is not in the level')
      const bounds = boundsOf(actor)
      const brush = actor.halfSize !== null
      const warnings = [
        ...(brush ? [] : ['The volume has no brush: its extent is zero and it generates nothing. Give extent.']),
        ...(named.skipped ? [`'${input.name}' is already used. The volume is named ${actor.name}.`] : []),
      ]
      return {
        actor_name: actor.name,
        actor_label: actor.label,
        actor_class: actor.class,
        has_pcg_component: actor.component !== undefined,
        pcg_graph_path: actor.component?.graph ?? null,
        graph_assigned: graph !== null && actor.component?.graph === graph,
        location: [...actor.location],
        bounds_extent_actual: [...bounds.extent],
        bounds_origin_actual: [...bounds.origin],
        actor_scale: [...actor.scale],
        has_brush_geometry: brush,
        brush_poly_count: brush ? 6 : 0,
        brush_requested: input.extent !== undefined,
        scale_normalized: actor.scale.every((size) => size === 1),
        ...(warnings.length === 0 ? {} : { warning: warnings.join(' ') }),
        requested: { ...input },
      }
    },
  }
}
