C     Integer sort by buckets, mpif.h and FORTRAN 77 in fixed form: each step makes new keys, counts them into as many
C     buckets as there are ranks, exchanges the counts and the keys, and sorts its own, as in IS of the NAS benchmarks.
      PROGRAM IS
      INCLUDE 'mpif.h'
      INTEGER MXRANK, NKEYS, MXKEYS, MAXKEY
      PARAMETER (MXRANK = 64, NKEYS = 8192, MXKEYS = 8 * NKEYS)
      PARAMETER (MAXKEY = 2048)
      INTEGER RANK, RANKS, IERR, STEPS, STEP, MINE, I
      INTEGER KEYS(NKEYS), SENT(NKEYS), GOT(MXKEYS), SORTED(MXKEYS)
      INTEGER SCOUNT(MXRANK), SDISP(MXRANK)
      INTEGER RCOUNT(MXRANK), RDISP(MXRANK)
      INTEGER SEED, CHECK, TOTAL, FIRST, BEFORE
      INTEGER STATUS(MPI_STATUS_SIZE)
      CHARACTER*32 ARG
      COMMON /WORK/ KEYS, SENT, GOT, SORTED
      COMMON /COUNTS/ SCOUNT, SDISP, RCOUNT, RDISP

      CALL MPI_INIT(IERR)
      CALL MPI_COMM_RANK(MPI_COMM_WORLD, RANK, IERR)
      CALL MPI_COMM_SIZE(MPI_COMM_WORLD, RANKS, IERR)
      IF (RANKS .GT. MXRANK) THEN
        PRINT *, 'is: at most ', MXRANK, ' ranks'
        CALL MPI_ABORT(MPI_COMM_WORLD, 1, IERR)
      END IF
      STEPS = 400
      IF (IARGC() .GT. 0) THEN
        CALL GETARG(1, ARG)
        READ (ARG, *) STEPS
      END IF

      SEED = 12345 + 77 * RANK
      CHECK = 0
      DO 100 STEP = 1, STEPS
        CALL MAKE(SEED, NKEYS, MAXKEY, KEYS)
        CALL BUCKET(RANKS, NKEYS, MAXKEY)
        CALL MPI_ALLTOALL(SCOUNT, 1, MPI_INTEGER, RCOUNT, 1,
     &    MPI_INTEGER, MPI_COMM_WORLD, IERR)
        RDISP(1) = 0
        DO 10 I = 2, RANKS
          RDISP(I) = RDISP(I - 1) + RCOUNT(I - 1)
   10   CONTINUE
        MINE = RDISP(RANKS) + RCOUNT(RANKS)
        IF (MINE .GT. MXKEYS) THEN
          PRINT *, 'is: too many keys for one rank: ', MINE
          CALL MPI_ABORT(MPI_COMM_WORLD, 1, IERR)
        END IF
        CALL MPI_ALLTOALLV(SENT, SCOUNT, SDISP, MPI_INTEGER, GOT,
     &    RCOUNT, RDISP, MPI_INTEGER, MPI_COMM_WORLD, IERR)
        CALL SORT(MINE, MAXKEY, GOT, SORTED)
        TOTAL = MINE
        CALL MPI_ALLREDUCE(MPI_IN_PLACE, TOTAL, 1, MPI_INTEGER,
     &    MPI_SUM, MPI_COMM_WORLD, IERR)
        IF (TOTAL .NE. RANKS * NKEYS) CALL WRONG('keys were lost')
C       The last key of the rank before is none after my first.
        BEFORE = -1
        CALL MPI_SENDRECV(SORTED(MINE), 1, MPI_INTEGER,
     &    MOD(RANK + 1, RANKS), 1, BEFORE, 1, MPI_INTEGER,
     &    MOD(RANK + RANKS - 1, RANKS), 1, MPI_COMM_WORLD, STATUS,
     &    IERR)
        FIRST = SORTED(1)
        IF (RANK .GT. 0 .AND. BEFORE .GT. FIRST)
     &    CALL WRONG('ranks are not in order')
        DO 20 I = 1, MINE, 97
          CHECK = MOD(CHECK * 31 + SORTED(I), 1000003)
   20   CONTINUE
        IF (RANK .EQ. 0 .AND. MOD(STEP, 10) .EQ. 0) THEN
          WRITE (6, 900) STEP, STEPS, CHECK
          CALL FLUSH(6)
        END IF
  100 CONTINUE
  900 FORMAT ('step ', I0, ' of ', I0, ': ', I0)

      CALL MPI_GATHER(CHECK, 1, MPI_INTEGER, RCOUNT, 1, MPI_INTEGER, 0,
     &  MPI_COMM_WORLD, IERR)
      IF (RANK .EQ. 0) THEN
        TOTAL = 0
        DO 30 I = 1, RANKS
          TOTAL = MOD(TOTAL * 1009 + RCOUNT(I), 1000003)
   30   CONTINUE
        WRITE (6, 910) TOTAL
      END IF
  910 FORMAT ('checksum ', Z8.8)
      CALL MPI_FINALIZE(IERR)
      END

C     Keys below MAXKEY, by a linear congruential generator.
      SUBROUTINE MAKE(SEED, N, MAXKEY, KEYS)
      INTEGER SEED, N, MAXKEY, KEYS(N), I
      DO 10 I = 1, N
        SEED = MOD(SEED * 3877 + 29573, 139968)
        KEYS(I) = MOD(SEED, MAXKEY)
   10 CONTINUE
      END

C     Puts the keys into SENT, bucket by bucket.
      SUBROUTINE BUCKET(RANKS, N, MAXKEY)
      INTEGER MXRANK, NKEYS, MXKEYS
      PARAMETER (MXRANK = 64, NKEYS = 8192, MXKEYS = 8 * NKEYS)
      INTEGER RANKS, N, MAXKEY, I, B, NEXT(MXRANK)
      INTEGER KEYS(NKEYS), SENT(NKEYS), GOT(MXKEYS), SORTED(MXKEYS)
      INTEGER SCOUNT(MXRANK), SDISP(MXRANK)
      INTEGER RCOUNT(MXRANK), RDISP(MXRANK)
      COMMON /WORK/ KEYS, SENT, GOT, SORTED
      COMMON /COUNTS/ SCOUNT, SDISP, RCOUNT, RDISP
      DO 10 B = 1, RANKS
        SCOUNT(B) = 0
   10 CONTINUE
      DO 20 I = 1, N
        B = KEYS(I) * RANKS / MAXKEY + 1
        SCOUNT(B) = SCOUNT(B) + 1
   20 CONTINUE
      SDISP(1) = 0
      DO 30 B = 2, RANKS
        SDISP(B) = SDISP(B - 1) + SCOUNT(B - 1)
   30 CONTINUE
      DO 40 B = 1, RANKS
        NEXT(B) = SDISP(B)
   40 CONTINUE
      DO 50 I = 1, N
        B = KEYS(I) * RANKS / MAXKEY + 1
        NEXT(B) = NEXT(B) + 1
        SENT(NEXT(B)) = KEYS(I)
   50 CONTINUE
      END

      SUBROUTINE SORT(N, MAXKEY, KEYS, SORTED)
      INTEGER N, MAXKEY, KEYS(*), SORTED(*), I, K, LIMIT
      PARAMETER (LIMIT = 2048)
      INTEGER COUNTS(0:LIMIT)
      DO 10 K = 0, MAXKEY
        COUNTS(K) = 0
   10 CONTINUE
      DO 20 I = 1, N
        COUNTS(KEYS(I) + 1) = COUNTS(KEYS(I) + 1) + 1
   20 CONTINUE
      DO 30 K = 1, MAXKEY
        COUNTS(K) = COUNTS(K) + COUNTS(K - 1)
   30 CONTINUE
      DO 40 I = 1, N
        COUNTS(KEYS(I)) = COUNTS(KEYS(I)) + 1
        SORTED(COUNTS(KEYS(I))) = KEYS(I)
   40 CONTINUE
      END

      SUBROUTINE WRONG(TEXT)
      INCLUDE 'mpif.h'
      CHARACTER*(*) TEXT
      INTEGER IERR
      PRINT *, 'is: ', TEXT
      CALL MPI_ABORT(MPI_COMM_WORLD, 1, IERR)
      END
