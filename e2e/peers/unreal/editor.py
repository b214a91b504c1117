"""DOUBLE of a running Unreal editor: a process with frames that runs real Python, reached over the documented wires.

`python3 editor.py <config.json>`. Ports are printed on stdout as one line of JSON; orders come in on stdin, one a line.
"""
import base64
import contextlib
import io
import json
import os
import queue
import re
import sys
import threading
import time
import traceback

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import level  # noqa: E402
import listing  # noqa: E402
import mcp_server  # noqa: E402
import module  # noqa: E402
import pcg  # noqa: E402
import remote_control  # noqa: E402
import remote_execution  # noqa: E402
import rendering  # noqa: E402
import source_control  # noqa: E402
import toolset  # noqa: E402
import windows  # noqa: E402


class Editor:
    def __init__(self, config):
        self.config, self.commands = config, queue.Queue()
        self.programs, self.requests, self.hang_until, self.garble = [], [], 0.0, None

    def on_game_thread(self, work):
        """Everything happens in a frame, one thing at a time; the caller waits."""
        done = threading.Event()
        box = {}

        def run():
            box['value'] = work()
            done.set()

        self.commands.put(run)
        done.wait()
        return box['value']

    def run_python(self, text, mode):
        return self.on_game_thread(lambda: self._run(text, mode))

    def _run(self, text, mode):
        self._note(text)
        out = io.StringIO()
        result, success = '', True
        with contextlib.redirect_stdout(out):
            print('LogPCG: a line of another user @gantryish')
            try:
                if mode == 'EvaluateStatement':
                    result = repr(eval(text, {}))
                else:
                    exec(compile(text, '<remote>', 'exec'), {'__name__': '__main__'})
            except BaseException:
                success, result = False, traceback.format_exc()
        lines = out.getvalue().splitlines()
        if self.garble is not None:
            garble, self.garble = self.garble, None
            lines = garble.get('lines', lines) if 'lines' in garble else lines
            if garble.get('die_after'):
                os._exit(1)
            if garble.get('lines_twice'):
                lines = lines + lines
        return success, result, lines

    def _note(self, text):
        """What was run: the text without its base64, and what the base64 asked for."""
        found = re.search(r"call\('([A-Za-z0-9+/=]+)'\)", text)
        self.programs.append(re.sub(r"'[A-Za-z0-9+/=]{20,}'", "'…'", text))
        if found:
            self.requests.append(json.loads(base64.b64decode(found.group(1)))['op'])

    def order(self, line):
        asked = json.loads(line)
        do = asked['do']
        if do == 'play':
            level.WORLD['playing'] = asked['on']
        elif do == 'refuse_saves':
            module.STATE['refuse_saves'] = asked['on']
        elif do == 'source_control':
            source_control.STATE.update(provider=asked.get('provider', 'Perforce'), available=asked.get('available', True))
            for path, fields in asked.get('files', {}).items():
                source_control.put(path, **fields)
        elif do == 'edit':  # a person changes something in the editor: inside an open transaction it is part of that
            with sys.modules['unreal'].ScopedEditorTransaction('A person'):
                pass
        elif do == 'garble':
            self.garble = asked
        elif do == 'forget':
            sys.modules.pop('gantry_pcg', None)
        elif do == 'instance':
            path = '/Game/PCG/AnInstance'
            made = pcg.PCGGraphInstance._new(path + '.AnInstance')
            made._values['graph'] = module.ASSETS.get(asked['graph'].lower())
            module.put(made)
        elif do == 'asset':
            made = {'PCGGraph': pcg.PCGGraph, 'StaticMesh': level.StaticMesh}[asked['class']]
            module.put(made._new('%s.%s' % (asked['path'], asked['path'].split('/')[-1])))
        elif do == 'blueprint':
            made = module.Blueprint._new('%s.%s' % (asked['path'], asked['path'].split('/')[-1]))
            made._tags = {'NativeParentClass': "/Script/CoreUObject.Class'/Script/PCG.PCGBlueprintElement'"}
            made._generated = type(made.get_name() + '_C', (listing.named('PCGBlueprintElement'),), {'_module': 'PCG'})
            module.put(made)
        elif do == 'comment':  # a person frames a node in the graph editor
            graph = module.ASSETS[asked['graph'].lower()]
            boxes = toolset.BOXES.setdefault(graph.get_path_name(), {})
            boxes['A-PERSON'] = {'text': asked['text'], 'nodes': [asked['node']]}
        elif do == 'single':
            node = next(one for one in module.ASSETS[asked['graph'].lower()]._values['nodes'] if one.get_name() == asked['node'])
            pin = next(one for one in node._values['input_pins'] if one._values['properties']._values['label'] == asked['pin'])
            pin._values['properties']._values['allow_multiple_connections'] = False
        elif do == 'stuck':
            for actor in level.WORLD['actors']:
                for component in actor.get_components_by_class(level.PCGComponent):
                    component._stuck = True
        elif do == 'furnish':
            level.furnish()
        elif do == 'viewport':  # a person selects, moves the camera, closes the viewport, changes the level
            level.WORLD['selected'] = level.WORLD['actors'][:asked.get('select', 0)]
            camera = asked.get('camera', [0.0, 0.0, 500.0])
            level.WORLD['camera'] = None if camera is None else (level.Vector(*camera), level.Rotator())
            level.WORLD['marks'] = asked.get('marks', False)
            level.WORLD['changed'] = set(['/Game/Maps/Main'] if asked.get('changed', False) else [])
            rendering.STATE['huge'] = asked.get('huge', False)
        elif do == 'twins':
            for actor in level.WORLD['actors'][:2]:
                actor.set_actor_label('Twin')
        report = {'programs': sorted(set(self.programs)), 'requests': self.requests, 'cost': module.STATE['cost'],
                'transactions': module.STATE['transactions'], 'boxes': toolset.BOXES,
                  'open': module.ScopedEditorTransaction.depth, 'submitted': source_control.STATE['submitted'],
                  'asked': source_control.STATE['asked'], 'files': source_control.STATE['files'], 'closed_by': windows.STATE['closed_by'],
                  'selected': [actor.get_name() for actor in level.WORLD['selected']], 'changed': sorted(level.WORLD['changed']),
                  'cameras': sum(isinstance(actor, rendering.SceneCapture2D) for actor in level.WORLD['actors']),
                  'targets': rendering.STATE['targets']} if do == 'ledger' else {}
        say(dict(report, done=do))

    def frames(self):
        while True:
            try:
                work = self.commands.get(timeout=1 / 120)
            except queue.Empty:
                work = None
            while time.monotonic() < self.hang_until or windows.STATE['dialog'] is not None:
                if windows.STATE['dialog'] is not None:  # its loop ticks Slate, and nothing else of the engine
                    module.slate_tick()
                time.sleep(0.005)
            if work is not None:
                work()
            module.tick()
            module.STATE['frames'] += 1
            module.slate_tick()


STDOUT = sys.stdout


def beside(asked, editor):
    do, saved = asked['do'], os.path.join(editor.config['project'], 'Saved')
    if do == 'dialog':
        windows.STATE['dialog'] = asked
    elif do == 'close_dialog':
        windows.close('the person')
    elif do == 'hang':
        editor.hang_until = time.monotonic() + asked['ms'] / 1000
    elif do == 'log':  # the log of the project, as its writer thread flushes it
        os.makedirs(os.path.join(saved, 'Logs'), exist_ok=True)
        with open(os.path.join(saved, 'Logs', 'Double.log'), 'a') as log:
            log.write('\n'.join(asked['lines']) + '\n')
    elif do == 'crash':
        folder = os.path.join(saved, 'Crashes', 'UECC-Windows-%d_0000' % os.getpid())
        os.makedirs(folder)
        with open(os.path.join(folder, 'CrashContext.runtime-xml'), 'w') as report:
            report.write('<FGenericCrashContext><RuntimeProperties><ProcessId>%d</ProcessId><ErrorMessage>%s</ErrorMessage>'
                         '</RuntimeProperties></FGenericCrashContext>' % (os.getpid(), asked['message']))
        os._exit(3)


def say(value):
    STDOUT.write(json.dumps(value) + '\n')
    STDOUT.flush()


def main():
    with open(sys.argv[1]) as file:
        config = json.load(file)
    with open(config['table']) as file:
        table = json.load(file)
    level.WORLD['folder'], level.WORLD['stale'] = config['project'], config.get('stale', False)
    sys.modules['unreal'] = module.build(config, table)
    if config.get('windows', True):
        windows.install()
    for _serial in range(config.get('actors', 0)):
        level.spawn(level.StaticMeshActor)
    editor = Editor(config)
    ports = {'pid': os.getpid()}
    if 'remoteControl' in config:
        ports['remoteControl'] = remote_control.serve(editor, config['remoteControl'])
    if 'mcp' in config:
        ports['mcp'] = mcp_server.serve(editor, config['mcp'])
    if 'remoteExecution' in config:
        remote_execution.serve(editor, config['remoteExecution'])

    def orders():
        for line in sys.stdin:
            asked = json.loads(line)
            if asked['do'] in ('dialog', 'close_dialog', 'hang', 'log', 'crash'):  # the game thread may be the one that waits
                beside(asked, editor)
                say({'done': asked['do']})
            else:
                editor.commands.put(lambda line=line: editor.order(line))
        os._exit(0)  # the process that started the double is gone

    threading.Thread(target=orders, daemon=True).start()
    say(ports)
    editor.frames()


main()
