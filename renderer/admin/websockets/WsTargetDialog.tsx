// A WebSocket target, new or not: its address, and its limits.
import { type WsTarget, WsTargetInput } from '#contract'
import { formOf } from '../../ui/form/fields.ts'
import { RecordDialog, type RecordDialogProps } from '../../ui/form/RecordForm.tsx'
import { useWsTargetChanges } from './use-ws-target-changes.ts'

const AS_SET = { placeholder: 'as the gateway is set' } as const

const FORM = formOf(WsTargetInput, {
  name: {
    label: 'Name',
    code: true,
    placeholder: 'prices',
    hint: 'Clients connect to /ws-proxy/ and this name.',
    createOnly: true,
  },
  backendWsUrl: {
    label: 'Address',
    code: true,
    placeholder: 'wss://prices.example/feed',
    hint: 'It is checked and pinned when it is saved.',
  },
  maxConnections: { label: 'Connections at most', hint: 'At a time.', ...AS_SET },
  maxMessageBytes: { label: 'Largest message, in bytes', hint: 'A larger one ends its connection.', ...AS_SET },
  idleTimeoutMs: { label: 'Ends when idle for, in ms', hint: 'Without a message either way.', ...AS_SET },
})

export function WsTargetDialog(dialog: RecordDialogProps<WsTarget>) {
  const { create, change } = useWsTargetChanges()
  return (
    <RecordDialog
      {...dialog}
      noun="WebSocket target"
      about={
        dialog.record
          ? 'A change closes its connections; clients open them again.'
          : 'Clients connect to the gateway, which checks their key and passes the messages on.'
      }
      width="max-w-lg"
      form={FORM}
      onSubmit={(input, base) => (base ? change(base, input) : create(input, ({ name }) => `${name} was added`))}
    />
  )
}
