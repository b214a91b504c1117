// What a person decides in a shared editor: who may write to a graph, and how a window of the editor is answered.
import type { ChangeList, GraphLease, HostedEditor } from '#pcg-contract'
import type { Actor } from '../contract/role.ts'
import type { Base } from '../records/base.ts'
import type { By } from '../records/changes.ts'
import { apiError } from './present.ts'

type Live = (actor: Actor, name: string) => Promise<{ readonly hosted: HostedEditor }>

export function createSharing(changes: Base['changes'], live: Live) {
  return {
    async takeLease(by: By, name: string, graph: string): Promise<GraphLease> {
      const { hosted } = await live(by.actor, name)
      const from = hosted.state().leases.find((held) => held.graph.toLowerCase() === graph.toLowerCase())?.holder
      const lease = hosted.takeLease(graph, { actor: by.actor.name, source: 'ui', requestId: by.requestId })
      await changes(by, (_tx, audit) => audit('pcg.lease.take', name, { graph: lease.graph, from: from ?? null }))
      return lease
    },
    async releaseLease(by: By, name: string, graph: string): Promise<{ released: boolean }> {
      const { hosted } = await live(by.actor, name)
      const released = hosted.releaseLease(graph)
      if (released) await changes(by, (_tx, audit) => audit('pcg.lease.release', name, { graph }))
      return { released }
    },
    async changeList(
      by: By,
      name: string,
      { batchId, submit }: { readonly batchId: string; readonly submit?: string | undefined },
    ): Promise<ChangeList> {
      const { hosted } = await live(by.actor, name)
      let list: ChangeList
      try {
        list = await hosted.changeList(batchId, submit ?? null, {
          actor: by.actor.name,
          source: 'ui',
          requestId: by.requestId,
        })
      } catch (error) {
        throw apiError(error)
      }
      const { files, description } = list
      if (list.submitted)
        await changes(by, (_tx, audit) => audit('pcg.changelist.submit', name, { files, description }))
      return list
    },
    /** The window is named in the audit log, and only one that the person saw is answered. */
    async answerDialog(by: By, name: string, { id, answer }: { id: string; answer: string }) {
      const { hosted } = await live(by.actor, name)
      const dialog = hosted.state().activity?.dialog
      const chosen = dialog?.id === id ? dialog.answers.find((one) => one.id === answer) : undefined
      const answered = chosen !== undefined && (await hosted.answerDialog(id, answer))
      if (answered)
        await changes(by, (_tx, audit) =>
          audit('pcg.dialog.answer', name, { title: dialog?.title, answer: chosen.label }),
        )
      return { answered }
    },
  }
}
