"""DOUBLE of the MCP server of 5.8: streamable HTTP, sessions, the three tools of its search mode."""
import json
import threading
import time
import uuid
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
import module
import toolset


def serve(editor, config):
    sessions = set()

    def call(params):
        name, args = params['name'], params['arguments']
        if name == 'list_toolsets':
            return '- %s: PCG' % toolset.TOOLSET
        if name == 'describe_toolset':
            found = next((one for one in toolset.schemas(module.STATE['without']) if one['name'] == args['toolset_name']), None)
            if found is None:
                raise ValueError("Toolset '%s' not found" % args['toolset_name'])
            return json.dumps(found)
        if name != 'call_tool':
            raise ValueError('Unknown tool ' + name)
        while True:  # an answer takes as many frames as its tool does
            ended, answer = editor.on_game_thread(lambda: attempt(args))
            if isinstance(answer, Exception):
                raise answer
            if ended:
                return json.dumps(answer)
            time.sleep(0.005)

    def attempt(args):
        try:
            answer = toolset.step(args['toolset_name'], args['tool_name'], args['arguments'])
            return answer is not None, answer
        except Exception as error:
            return True, error

    class Handler(BaseHTTPRequestHandler):
        protocol_version = 'HTTP/1.1'
        disable_nagle_algorithm = True

        def log_message(self, *_args):
            pass

        def answer(self, status, value=None, session=None):
            streamed = config.get('stream') and value is not None
            text = '' if value is None else json.dumps(value)
            body = ('event: message\r\ndata: %s\r\n\r\n' % text if streamed else text).encode('utf-8')
            self.send_response(status)
            if session:
                self.send_header('Mcp-Session-Id', session)
            self.send_header('Content-Type', 'text/event-stream' if streamed else 'application/json')
            self.send_header('Content-Length', str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def do_DELETE(self):
            sessions.discard(self.headers.get('Mcp-Session-Id'))
            self.answer(204)

        def do_POST(self):
            asked = json.loads(self.rfile.read(int(self.headers.get('Content-Length', 0))))
            if self.path != '/mcp' or self.headers.get('Origin') not in (None, 'http://localhost'):
                return self.answer(403, {'error': 'Origin'})
            if 'text/event-stream' not in self.headers.get('Accept', ''):
                return self.answer(406)
            if asked['method'] == 'initialize':
                session = uuid.uuid4().hex
                sessions.add(session)
                info = {'name': 'unreal-mcp', 'version': editor.config['engine']}
                result = {'protocolVersion': '2025-03-26', 'capabilities': {'tools': {}}, 'serverInfo': info}
                return self.answer(200, {'jsonrpc': '2.0', 'id': asked['id'], 'result': result}, session)
            if self.headers.get('Mcp-Session-Id') not in sessions:
                return self.answer(404)
            if 'id' not in asked:
                return self.answer(202)
            try:
                result = {'content': [{'type': 'text', 'text': call(asked['params'])}]}
            except Exception as error:
                result = {'isError': True, 'content': [{'type': 'text', 'text': str(error)}]}
            return self.answer(200, {'jsonrpc': '2.0', 'id': asked['id'], 'result': result})

    server = ThreadingHTTPServer(('127.0.0.1', config.get('port', 0)), Handler)
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server.server_address[1]
