BEGIN TRANSACTION;
CREATE TABLE atoms (
        name TEXT NOT NULL, version TEXT NOT NULL, message TEXT NOT NULL, content TEXT NOT NULL, n INTEGER NOT NULL,
        start INTEGER NOT NULL, atom TEXT NOT NULL, PRIMARY KEY (name, version, message, content, n),
        FOREIGN KEY (name, version, message, content) REFERENCES judged ON DELETE CASCADE
    );
INSERT INTO "atoms" VALUES('d','1','b2:b19640b2e56fbe8aefcf6707','b2:e8b0cb648d26e881e85c7db6ae2f9748',0,0,'{"confidence": 0.75, "expires": true, "explicit": true, "feedback": true, "kind": "workflow", "message": "b2:b19640b2e56fbe8aefcf6707", "paths": ["*.ts", "web/"], "polarity": "do", "project": false, "quote": "use pnpm", "reasons": ["says never"], "relation": "narrows", "start": 0, "text": "Use pnpm.", "transferable": true, "when": "in shop"}');
INSERT INTO "atoms" VALUES('d','1','b2:5f0c2a6b62c40cda5b642e83','b2:c4ea8d1e9f5e94db9e98fc2f54dc7084',0,6,'{"confidence": 1.0, "expires": false, "explicit": false, "feedback": true, "kind": "communication", "message": "b2:5f0c2a6b62c40cda5b642e83", "paths": [], "polarity": "avoid", "project": true, "quote": "keine Emojis", "reasons": [], "relation": "states", "start": 6, "text": "Keine Emojis.", "transferable": true, "when": ""}');
CREATE TABLE decisions (id TEXT PRIMARY KEY, time TEXT NOT NULL, decision TEXT NOT NULL);
INSERT INTO "decisions" VALUES('b2:f6a91cc7171cd9efda82211384ef24fc','2026-03-01T09:00:00.000000+00:00','{"version":1,"action":"pin","atoms":["b2:b19640b2e56fbe8aefcf6707@0"],"time":"2026-03-01T09:00:00Z","text":"Use pnpm, never npm.","when":"","paths":[],"project":null,"tier":null,"source":"review"}');
INSERT INTO "decisions" VALUES('b2:c37d871196735521ac163c91e4dc991d','2026-03-02T09:00:00.000000+00:00','{"version":1,"action":"refuse","atoms":["b2:5f0c2a6b62c40cda5b642e83@6","b2:b19640b2e56fbe8aefcf6707@0"],"time":"2026-03-02T09:00:00Z","text":"","when":"","paths":[],"project":null,"tier":null,"source":"AGENTS.md"}');
CREATE TABLE files (
        path TEXT PRIMARY KEY, person TEXT NOT NULL, reader TEXT NOT NULL, cursor TEXT NOT NULL, stats TEXT NOT NULL
    );
INSERT INTO "files" VALUES('/me/1.jsonl','me','claude-code','{"inode": 7, "line": 9, "mtime_ns": 9, "offset": 900, "prefix": "b2:9", "size": 900, "state": {"reader": "claude-code", "state": {"seen": ["x"]}}}','{"by_tag": 1, "bytes": 900, "damage": {"cut": [2, [4, 7]], "torn": [1, [13]]}, "refusals": 3, "secrets": {"mail": 1}, "set_aside": {"headless": 2}, "unknown": {"pr-link": 4}}');
INSERT INTO "files" VALUES('/ana/1.jsonl','ana','claude-code','{"inode": 7, "line": 1, "mtime_ns": 1, "offset": 100, "prefix": "b2:1", "size": 100, "state": {}}','{"by_tag": 0, "bytes": 100, "damage": {}, "refusals": 0, "secrets": {}, "set_aside": {}, "unknown": {}}');
INSERT INTO "files" VALUES('/ana/2.jsonl','ana','claude-code','{"inode": 7, "line": 0, "mtime_ns": 0, "offset": 0, "prefix": "b2:0", "size": 0, "state": {}}','{"by_tag": 0, "bytes": 0, "damage": {}, "refusals": 0, "secrets": {}, "set_aside": {}, "unknown": {}}');
INSERT INTO "files" VALUES('/me/2.jsonl','me','claude-code','{"inode": 7, "line": 0, "mtime_ns": 1, "offset": 0, "prefix": "", "size": 100, "state": {}}','{"by_tag": 0, "bytes": 100, "damage": {}, "refusals": 0, "secrets": {}, "set_aside": {}, "unknown": {}}');
CREATE TABLE ignores (pattern TEXT PRIMARY KEY) WITHOUT ROWID;
INSERT INTO "ignores" VALUES('**/scratch/**');
CREATE TABLE judged (
        name TEXT NOT NULL, version TEXT NOT NULL, message TEXT NOT NULL, content TEXT NOT NULL,
        PRIMARY KEY (name, version, message, content)
    ) WITHOUT ROWID;
INSERT INTO "judged" VALUES('d','1','b2:5f0c2a6b62c40cda5b642e83','b2:c4ea8d1e9f5e94db9e98fc2f54dc7084');
INSERT INTO "judged" VALUES('d','1','b2:b19640b2e56fbe8aefcf6707','b2:e8b0cb648d26e881e85c7db6ae2f9748');
CREATE TABLE meta (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
INSERT INTO "meta" VALUES('salt','b36e1a26b2f64ac80b537f69398180101e3cf283aaab32f5dcf4cb2977866a72');
CREATE TABLE migrations (n INTEGER PRIMARY KEY, name TEXT NOT NULL, applied TEXT NOT NULL);
INSERT INTO "migrations" VALUES(1,'first-tables','2026-11-30T18:33:11+00:00');
CREATE TABLE sessions (
        path TEXT NOT NULL REFERENCES files ON UPDATE CASCADE ON DELETE CASCADE,
        tool TEXT NOT NULL, session TEXT NOT NULL, facts TEXT NOT NULL, PRIMARY KEY (path, tool, session)
    ) WITHOUT ROWID;
INSERT INTO "sessions" VALUES('/ana/1.jsonl','claude-code','s2','{"cwd": "/home/dana/src/shop", "ended": "2026-03-01T09:40:00.000000+00:00", "entrypoint": "", "forked_from": "s1", "reason": null, "session": "s2", "started": "2026-03-01T09:40:00.000000+00:00", "tool": "claude-code"}');
INSERT INTO "sessions" VALUES('/ana/2.jsonl','claude-code','s3','{"cwd": "/home/dana/src/shop", "ended": "2026-03-01T09:00:00.000000+00:00", "entrypoint": "", "forked_from": "", "reason": "headless", "session": "s3", "started": "2026-03-01T09:00:00.000000+00:00", "tool": "claude-code"}');
INSERT INTO "sessions" VALUES('/me/1.jsonl','claude-code','s1','{"cwd": "/home/dana/src/shop", "ended": "2026-03-01T09:01:00.000000+00:00", "entrypoint": "cli", "forked_from": "", "reason": null, "session": "s1", "started": "2026-03-01T09:01:00.000000+00:00", "tool": "claude-code"}');
CREATE TABLE sightings (
        path TEXT NOT NULL REFERENCES files ON UPDATE CASCADE ON DELETE CASCADE,
        key TEXT NOT NULL, tool TEXT NOT NULL, session TEXT NOT NULL, record TEXT NOT NULL, line INTEGER NOT NULL,
        time TEXT, cwd TEXT NOT NULL, branch TEXT NOT NULL, text TEXT NOT NULL, form TEXT NOT NULL, act TEXT NOT NULL,
        after_interrupt INTEGER NOT NULL, by_tag INTEGER NOT NULL, live INTEGER NOT NULL,
        content TEXT NOT NULL, rank TEXT NOT NULL, PRIMARY KEY (path, key)
    );
INSERT INTO "sightings" VALUES('/me/1.jsonl','b2:b19640b2e56fbe8aefcf6707','claude-code','s1','r3',3,'2026-03-01T09:01:00.000000+00:00','/home/dana/src/shop','main','use pnpm, never npm','typed','{"input": "git push", "said": "Pushed.", "tool": "Bash"}',0,0,1,'b2:e8b0cb648d26e881e85c7db6ae2f9748','999999999999980b2:e8b0cb648d26e881e85c7db6ae2f9748');
INSERT INTO "sightings" VALUES('/me/1.jsonl','b2:5f0c2a6b62c40cda5b642e83','claude-code','s1','r9',9,'2026-03-01T09:02:00.000000+00:00','/home/dana/src/shop','fix/ü','Bitte keine Emojis 🎯','refusal','{"input": "git push", "said": "Pushed.", "tool": "Bash"}',1,0,1,'b2:c4ea8d1e9f5e94db9e98fc2f54dc7084','999999999999979b2:c4ea8d1e9f5e94db9e98fc2f54dc7084');
INSERT INTO "sightings" VALUES('/ana/1.jsonl','b2:b19640b2e56fbe8aefcf6707','claude-code','s2','r3',1,'2026-03-01T09:40:00.000000+00:00','/home/dana/src/shop','main','use pnpm, never npm','typed','{"input": "git push", "said": "Pushed.", "tool": "Bash"}',0,0,1,'b2:e8b0cb648d26e881e85c7db6ae2f9748','999999999999980b2:e8b0cb648d26e881e85c7db6ae2f9748');
CREATE TABLE tombstones (hash TEXT NOT NULL, lineage TEXT NOT NULL, PRIMARY KEY (hash, lineage)) WITHOUT ROWID;
INSERT INTO "tombstones" VALUES('028b58892f3e3395abf4e815010dee1a6fa9851c','161ef0c8bdee0d222861d6130180f547527745ee');
INSERT INTO "tombstones" VALUES('325fa6310c75091dfa71107c4dea1d3bcf78a49e','161ef0c8bdee0d222861d6130180f547527745ee');
INSERT INTO "tombstones" VALUES('9ba482e765d7c41bdf27ae0bfddd4c3a569b97d8','161ef0c8bdee0d222861d6130180f547527745ee');
INSERT INTO "tombstones" VALUES('b926d7b6a42c251d672fbab3f50e248efee239be','161ef0c8bdee0d222861d6130180f547527745ee');
INSERT INTO "tombstones" VALUES('d246c5df48fade24f7c8fe8d2d889e00139c3b5d','');
CREATE INDEX sightings_by_key ON sightings (key);
CREATE INDEX judged_by_message ON judged (message);
CREATE INDEX atoms_by_message ON atoms (message);
COMMIT;
PRAGMA application_id = 308912461;
PRAGMA user_version = 1;
