ALTER TABLE uploads ADD COLUMN mapping VARCHAR;

CREATE TABLE mappings (
    fingerprint VARCHAR PRIMARY KEY,
    columns VARCHAR NOT NULL,
    stated_at TIMESTAMP NOT NULL
);
