// The dialog of a WebSocket target: address and limits.
import { type WsTarget, WsTargetInput } from '#contract'
import { formOf } from '../../ui/form/fields.ts'
import { RecordDialog, type RecordDialogProps } from '../../ui/form/RecordForm.tsx'
import { useWsTargetChanges } from './use-ws-target-changes.ts'

const AS_SET = { placeholder: 'gateway default' } as const

const FORM = formOf(WsTargetInput, {
  name: {
    label: 'Name',
    code: true,
    placeholder: 'prices',
    hint: 'Clients connect to /ws-proxy/<name>.',
    createOnly: true,
  },
  backendWsUrl: {
    label: 'Address',
    code: true,
    placeholder: 'wss://prices.example/feed',
    hint: 'It is checked and pinned when it is saved.',
  },
  maxConnections: { label: 'Maximum connections', hint: 'At the same time.', ...AS_SET },
  maxMessageBytes: {
    label: 'Maximum message size, in bytes',
    hint: 'A larger message closes the connection.',
    ...AS_SET,
  },
  idleTimeoutMs: { label: 'Idle timeout, in ms', hint: 'Without messages in either direction.', ...AS_SET },
})

export function WsTargetDialog(dialog: RecordDialogProps<WsTarget>) {
  const { create, change } = useWsTargetChanges()
  return (
    <RecordDialog
      {...dialog}
      noun="WebSocket target"
      about={
        dialog.record
          ? 'Changes close its connections; clients reconnect.'
          : 'The gateway checks the client’s key and forwards messages.'
      }
      width="max-w-lg"
      form={FORM}
      onSubmit={(input, base) => (base ? change(base, input) : create(input, ({ name }) => `${name} was added`))}
    />
  )
}
